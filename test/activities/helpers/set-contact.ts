import type { PurchaseRef } from '../../../domain/purchase.ts';
import type { RewardSnapshot } from '../../../domain/reward.ts';
import { dataKeyIdOf, sealForCustomer } from '../../../models/store/data-keys.ts';
import type { Database } from '../../helpers/processes.ts';

export const email = 'reader@private.example';
export const phone = '+447400123456';
export const landline = '+442079460000';

/** How a customer can be reached. */
export interface CustomerContact {
  email: string | null;
  phone: string | null;
}

/** Replaces the contact that a purchase gave. @returns the id of its data key */
export async function setContact(
  { models, sealer }: Database,
  { partnerId, purchaseEventId }: PurchaseRef,
  { customerId }: Pick<RewardSnapshot, 'customerId'>,
  contact: CustomerContact,
): Promise<string> {
  const sealed = await sealForCustomer(
    { models, sealer, now: Date.now },
    { partnerId, customerId },
    JSON.stringify({ ...contact, claimToken: 'token', metadata: null }),
    purchaseEventId,
  );
  await models.orderEvents.updateOne({ partnerId, _id: purchaseEventId }, { $set: { sealed } });
  return dataKeyIdOf({ sealed });
}
