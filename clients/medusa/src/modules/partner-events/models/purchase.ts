import { model } from '@medusajs/framework/utils';

/** What was reported about an order: the same bytes for every repeat, whatever becomes of the order. */
export const Purchase = model
  .define('partner_events_purchase', {
    id: model.id({ prefix: 'pep' }).primaryKey(),
    order_id: model.text(),
    mode: model.enum(['TEST', 'LIVE']),
    email: model.text(),
    currency: model.text(),
    /** In minor units: what the order earned on when it was reported. Refunds follow the order itself. */
    subtotal_cents: model.number(),
    occurred_at: model.text(),
    /** Null until the service has answered. */
    reward_id: model.text().nullable(),
    /** Of the reward: what it has after refunds. */
    points: model.number().nullable(),
    /** Of the reward, as its customer sees it: `AWAITING_CUSTOMER_CLAIM`, `CLAIMED`, `CLAIM_EXPIRED` or `CANCELLED`. */
    status: model.text().nullable(),
    /** Of the newest webhook about the reward: an older one changes nothing. */
    sequence: model.number().default(0),
    /** Why the service refused it, for the administrator. */
    problem: model.text().nullable(),
  })
  .indexes([{ on: ['order_id', 'mode'], unique: true }]);
