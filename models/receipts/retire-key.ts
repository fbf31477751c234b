import type { Models } from '../schemas/index.ts';
import { signing } from './signing-keys.ts';

/**
 * Retires the key that signs now and destroys its private part. The next tree head is signed with a new one.
 * @returns its id; null if no key has been made since the last was retired
 */
export async function retireSigner({ signingKeys }: Models, retiredAt: Date) {
  const current = await signingKeys.findOne(signing);
  if (current === null) return null;
  const { _id } = current;
  await signingKeys.updateOne({ _id, retiredAt: null }, { $set: { retiredAt, sealed: null } });
  return _id;
}
