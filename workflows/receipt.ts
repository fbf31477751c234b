import type { RedemptionRef } from '../domain/redemption.ts';
import { messages } from './purchase-steps.ts';

/** Tells a customer of a redemption, once. */
export async function receipt(ref: RedemptionRef): Promise<void> {
  await messages('tell the customer that points were redeemed').sendReceipt(ref);
}
