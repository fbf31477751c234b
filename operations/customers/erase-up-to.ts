import type { CustomerRef } from '../../models/ledger/index.ts';
import type { ErasureDoc } from '../../models/schemas/customers.ts';
import { destroyKeysOf } from '../../models/store/data-keys.ts';
import { insertOnce } from '../../models/store/insert-once.ts';
import { newId } from '../../platform/ids.ts';
import type { AuditDeps } from '../deps.ts';

/**
 * Erases a customer: everything sealed for them so far becomes unreadable. Data that is not personal
 * stays: ledger entries, rewards, and sent links. Later purchases, and those being recorded now, are
 * sealed under new keys. Once per reference.
 * @param erasedAt now, or the original time if the erasure is repeated after a restore
 * @returns the erasure, and whether this call made it
 */
export async function eraseUpTo(
  { models, now }: AuditDeps,
  { partnerId, customerId, reference }: CustomerRef & { reference: string },
  erasedAt: Date,
): Promise<{ erasure: ErasureDoc; isNew: boolean }> {
  const key = { partnerId, customerId, reference };
  const isNew = await insertOnce(() =>
    models.erasures.create({ _id: newId('erasure'), ...key, erasedAt }),
  );
  const erasure = await models.erasures.findOne(key).orFail();
  const { erasedAt: upTo } = erasure;
  await destroyKeysOf(models, key, { upTo, erasedAt: new Date(now()) });
  // Refused requests are unverified and may name any customer, so all of them are deleted.
  await models.refusedRequests.deleteMany({ partnerId, receivedAt: { $lte: upTo } });
  return { erasure, isNew };
}
