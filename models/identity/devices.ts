import { sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';

/** As long as browsers keep a cookie. */
export const deviceLifeMs = 400 * 86_400_000;
/** So many browsers of a user are known; one more takes the place of the one that was used longest ago. */
const maxDevices = 20;

/**
 * Notes that a user signed in with a browser.
 * @param device the value of its cookie, which is kept as its hash
 * @returns whether it is new; the first of all is not, since there is none that it could be told from
 */
export async function noteDevice(
  { users }: Pick<Models, 'users'>,
  _id: string,
  device: string,
  now: Date,
): Promise<{ isNew: boolean }> {
  const hash = sha256Hex(device);
  const known = await users.updateOne(
    { _id, 'devices.hash': hash },
    { $set: { 'devices.$.lastUsedAt': now } },
  );
  if (known.matchedCount > 0) return { isNew: false };
  const added = { $each: [{ hash, lastUsedAt: now }], $sort: { lastUsedAt: 1 as const } };
  const before = await users
    .findOneAndUpdate(
      { _id, 'devices.hash': { $ne: hash } },
      { $push: { devices: { ...added, $slice: -maxDevices } } },
      { returnDocument: 'before' },
    )
    .lean();
  return { isNew: (before?.devices?.length ?? 0) > 0 };
}

/** Forgets a browser, which is new when it comes again. */
export async function forgetDevice(
  { users }: Pick<Models, 'users'>,
  _id: string,
  device: string,
): Promise<void> {
  await users.updateOne({ _id }, { $pull: { devices: { hash: sha256Hex(device) } } });
}
