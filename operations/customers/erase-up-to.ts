import type { CustomerRef } from '../../models/ledger/index.ts';
import type { ErasureDoc } from '../../models/schemas/erasure.ts';
import { destroyKeysOf } from '../../models/store/data-keys.ts';
import { insertOnce } from '../../models/store/insert-once.ts';
import { newId } from '../../platform/ids.ts';
import type { AuditDeps } from '../deps.ts';

/**
 * Erases a customer: whatever was sealed for them until then is unreadable from here on. What is no
 * personal data stays: the ledger's numbers, the rewards, and links that were sent. A purchase that
 * comes after it, or is being recorded at that moment, is sealed anew. Once per reference.
 * @param erasedAt now; when an erasure is repeated that a backup does not have, the time it had
 * @returns the erasure, and whether this call made it
 */
export async function eraseUpTo(
  { models, now }: AuditDeps,
  { partnerId, customerId, reference }: CustomerRef & { reference: string },
  erasedAt: Date,
): Promise<{ erasure: ErasureDoc; isNew: boolean }> {
  const asked = { partnerId, customerId, reference };
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
