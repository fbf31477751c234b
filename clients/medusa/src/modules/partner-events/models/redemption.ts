import { model } from '@medusajs/framework/utils';

/** Points that pay for a cart, or for the order that it became. */
export const Redemption = model.define('partner_events_redemption', {
  /** The service's id: `red_…` */
  id: model.text().primaryKey(),
  cart_id: model.text(),
  mode: model.enum(['TEST', 'LIVE']),
  points: model.number(),
  amount_cents: model.number(),
  /** ENDING: the service is asked to give the points back. */
  status: model.enum(['HELD', 'CAPTURED', 'ENDING', 'ENDED']).index(),
});
