import { modes } from '../../domain/mode.ts';
import { type Redemption, redemptionActions } from '../../domain/redemption.ts';
import { indexWhatIsDue } from './due.ts';
import {
  collection,
  date,
  declared,
  nullable,
  number,
  oneOf,
  part,
  type Stored,
  text,
  unchecked,
} from './fields.ts';

export type RedemptionDoc = Redemption;

/** Points that pay for an order, or are held for one. */
export const redemptionSchema = declared<RedemptionDoc>('redemptions');
redemptionSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
// The partner's own id, once in each integration, and once among the operators' of a partner.
redemptionSchema.index(
  { partnerId: 1, mode: 1, integrationId: 1, externalRedemptionId: 1 },
  { unique: true, name: 'external_redemption' },
);
// For lookups by people, newest first, from index keys alone.
export const redemptionIndexes = { name: 'look_up_name', key: 'look_up_key' } as const;
redemptionSchema.index(
  { externalRedemptionId: 1, _id: -1, partnerId: 1 },
  { name: redemptionIndexes.name },
);
/** The hints of an integration's redemptions, the newest change first, of a customer's, and of its orders'. */
export const redemptionListIndexes = {
  changed: 'changed_redemptions',
  customer: { partnerId: 1, customerId: 1, mode: 1, _id: -1 },
  order: 'order_redemptions',
} as const;
// For a customer's and a partner's lists, newest first.
redemptionSchema.index(redemptionListIndexes.customer);
redemptionSchema.index({ partnerId: 1, mode: 1, _id: -1 });
// Each status is a range.
redemptionSchema.index(
  { partnerId: 1, mode: 1, integrationId: 1, status: 1, updatedAt: -1, _id: -1 },
  { name: redemptionListIndexes.changed },
);
redemptionSchema.index(
  { partnerId: 1, mode: 1, integrationId: 1, externalOrderId: 1, _id: -1 },
  {
    name: redemptionListIndexes.order,
    partialFilterExpression: { externalOrderId: { $type: 'string' } },
  },
);
indexWhatIsDue(redemptionSchema);
// Holds whose time is over.
redemptionSchema.index({ expiresAt: 1 }, { partialFilterExpression: { status: 'HELD' } });

/** What a partner does with redemptions, each with an idempotency key of its own. */
export const redemptionEventTypes = ['REDEEM', ...redemptionActions] as const;
export type RedemptionEventType = (typeof redemptionEventTypes)[number];

/** One accepted request about a redemption, and its response. Insert-only. */
export const redemptionEventSchema = collection('redemption_events', {
  /** `evt_…` */
  _id: text,
  partnerId: text,
  integrationId: text,
  credentialId: text,
  mode: oneOf(modes),
  type: oneOf(redemptionEventTypes),
  redemptionId: text,
  /** The order that it pays for, if the partner named one. */
  externalOrderId: nullable(text),
  requestId: text,
  idempotencyKeyHash: text,
  payloadHash: text,
  receivedAt: date,
  request: part({
    method: unchecked(text),
    path: unchecked(text),
    status: unchecked(number),
  }),
  /** The response: JSON, replayed byte for byte. */
  answer: text,
});
export type RedemptionEventDoc = Stored<typeof redemptionEventSchema>;
redemptionEventSchema.index(
  { partnerId: 1, credentialId: 1, type: 1, idempotencyKeyHash: 1 },
  { unique: true, name: 'idempotency_key' },
);
redemptionEventSchema.index(
  { idempotencyKeyHash: 1, _id: -1, partnerId: 1 },
  { name: redemptionIndexes.key },
);
redemptionEventSchema.index({ partnerId: 1, redemptionId: 1, _id: 1 });
redemptionEventSchema.index({ partnerId: 1, _id: -1 });
