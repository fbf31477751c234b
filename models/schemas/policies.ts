import { modes } from '../../domain/mode.ts';
import { pointsLives } from '../../domain/points-end.ts';
import type { PolicyTerms } from '../../domain/refund-policy.ts';
import { collection, date, mixed, nullable, number, oneOf, type Stored, text } from './fields.ts';

/** A version of a refund policy; insert-only. */
export const refundPolicySchema = collection('refund_policies', {
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  maxCents: nullable(number),
  perCustomer: nullable(mixed<NonNullable<PolicyTerms['perCustomer']>>()),
  withinDays: nullable(number),
  graceHours: number,
  createdAt: date,
});
export type RefundPolicyDoc = Stored<typeof refundPolicySchema>;
refundPolicySchema.index({ partnerId: 1, _id: 1 }, { unique: true });
refundPolicySchema.index({ partnerId: 1, mode: 1, _id: -1 });

/** The log of activations; insert-only. The highest `seq` of a partner and mode names the policy in force, or none. */
export const policyActivationSchema = collection('policy_activations', {
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  seq: number,
  policyId: nullable(text),
  activatedAt: date,
});
export type PolicyActivationDoc = Stored<typeof policyActivationSchema>;
policyActivationSchema.index({ partnerId: 1, mode: 1, seq: -1 }, { unique: true });

/** The settings by which customers' points end; insert-only. The wallet has the one in force (models/commit.ts). */
export const pointsEndSchema = collection('points_ends', {
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  after: nullable(oneOf(pointsLives)),
  since: date,
  replaces: nullable(text),
});
export type PointsEndDoc = Stored<typeof pointsEndSchema>;
pointsEndSchema.index({ partnerId: 1, mode: 1, _id: -1 });
