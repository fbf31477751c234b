import { model } from '@medusajs/framework/utils';

/** Points that pay for a cart, or for the order that it became. */
export const Redemption = model.define('partner_events_redemption', {
  /** The service's id: `red_…` */
  id: model.text().primaryKey(),
  cart_id: model.text(),
  mode: model.enum(['TEST', 'LIVE']),
  points: model.number(),
  amount_cents: model.number(),
  status: model.enum(['HELD', 'CAPTURED', 'RELEASED', 'REVERSED']).index(),
});
