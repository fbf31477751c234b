import type { PurchaseRef } from '../../../domain/purchase.ts';
import type { Database } from '../../helpers/processes.ts';

export const email = 'reader@private.example';
export const phone = '+447400123456';
export const landline = '+442079460000';

/** How a customer can be reached. */
export interface CustomerContact {
  email: string | null;
  phone: string | null;
}

/** Replaces the contact that a purchase gave. */
export async function setContact(
  { models, sealer }: Database,
  { partnerId, purchaseEventId }: PurchaseRef,
  contact: CustomerContact,
): Promise<void> {
  const said = JSON.stringify({ ...contact, claimToken: 'token', metadata: null });
  const sealed = sealer.seal(said, purchaseEventId);
  await models.orderEvents.updateOne({ partnerId, _id: purchaseEventId }, { $set: { sealed } });
}
