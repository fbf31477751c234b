import { newId } from '../../platform/ids.ts';
import { destroyKeysOf } from '../data-keys.ts';
import { insertOnce } from '../insert-once.ts';
import type { CustomerRef } from '../ledger/index.ts';
import type { ErasureDoc } from '../schemas/erasure.ts';
import type { ReferencedDeed } from './deeds.ts';
import type { CommandDeps } from './deps.ts';

/** What the log says of an erasure; `npm run erase-again` reads it there. */
export const erasedLine = 'customer erased';

/**
 * Erases a customer: whatever was sealed for them until now is unreadable from here on. What is no
 * personal data stays: the ledger's numbers, the rewards, and links that were sent. A purchase that
 * comes after it, or is being recorded at that moment, is sealed anew. Once per reference.
 * @param erasedAt now; when an erasure is repeated that a backup does not have, the time it had
 * @returns the erasure, and whether this call made it
 */
export async function eraseCustomer(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  { partnerId, customerId: customerKey }: CustomerRef,
  reference: string,
  erasedAt: Date = new Date(now()),
): Promise<{ erasure: ErasureDoc; isNew: boolean }> {
  const asked = { partnerId, customerKey, reference };
  const isNew = await insertOnce(() =>
    models.erasures.create({ _id: newId('erasure'), ...asked, erasedAt }),
  );
  const erasure = await models.erasures.findOne(asked).lean().orFail();
  const { erasedAt: upTo } = erasure;
  await destroyKeysOf(models, asked, { upTo, erasedAt: new Date(now()) });
  // Nobody proved whose request a refused one is, nor whose customer it names: they all go.
  await models.refusedRequests.deleteMany({ partnerId, receivedAt: { $lte: upTo } });
  return { erasure, isNew };
}

/** What the trail keeps of an erasure. */
export function erasureDeed(
  { partnerId, customerId }: CustomerRef,
  reference: string,
): ReferencedDeed {
  return { action: 'customer.erase', partnerId, targetId: customerId, details: { reference } };
}
