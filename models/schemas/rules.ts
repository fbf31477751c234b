import { type Earning, type EarningField, ruleKinds } from '../../domain/earning-rules.ts';
import { modes } from '../../domain/mode.ts';
import {
  collection,
  date,
  type Field,
  nullable,
  number,
  oneOf,
  optional,
  part,
  type Stored,
  text,
  unchecked,
} from './fields.ts';

/** Present depending on the kind, which the operation that creates rules ensures. */
const earningFields = {
  points: optional(number),
  unitCents: optional(number),
} satisfies Record<EarningField, Field<unknown>>;

/** A rule version; insert-only. */
export const earningRuleSchema = collection('earning_rules', {
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  integrationId: nullable(text),
  currency: text,
  kind: oneOf(ruleKinds),
  ...earningFields,
  minimumOrderCents: number,
  multiplier: number,
  campaign: nullable(part({ startsAt: unchecked(text), endsAt: unchecked(text) })),
  capPerOrderPoints: nullable(number),
  capPerCustomerDayPoints: nullable(number),
  budget: optional(
    part({ name: text, totalPoints: nullable(number), monthPoints: nullable(number) }),
  ),
  claimWindow: text,
  holdFor: optional(text),
  pointValueMicros: number,
  createdAt: date,
});
export type EarningRuleDoc = Stored<typeof earningRuleSchema> & Earning;
earningRuleSchema.index({ partnerId: 1, _id: 1 }, { unique: true });

/**
 * The log of activations; insert-only. The highest `seq` of a (partner, mode, currency,
 * integration) names the active rule, or none, so that changing the rule is one insert and there is
 * no moment without one.
 */
export const ruleActivationSchema = collection('rule_activations', {
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  currency: text,
  integrationId: nullable(text),
  seq: number,
  ruleId: nullable(text),
  activatedAt: date,
});
export type RuleActivationDoc = Stored<typeof ruleActivationSchema>;
ruleActivationSchema.index(
  { partnerId: 1, mode: 1, currency: 1, integrationId: 1, seq: -1 },
  { unique: true },
);
