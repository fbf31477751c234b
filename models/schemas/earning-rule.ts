import { Schema, type SchemaDefinitionProperty } from 'mongoose';
import {
  type Earning,
  type EarningField,
  type RuleTerms,
  ruleKinds,
} from '../../domain/earning-rules.ts';
import { type Mode, modes } from '../../domain/mode.ts';

/** A rule version; insert-only. */
export type EarningRuleDoc = { _id: string; createdAt: Date } & RuleTerms & Earning;

/**
 * The log of activations; insert-only. The highest `seq` of a (partner, mode, currency,
 * integration) names the active rule, or none, so that changing the rule is one insert and there is
 * no moment without one.
 */
export interface RuleActivationDoc {
  _id: string;
  partnerId: string;
  mode: Mode;
  currency: string;
  integrationId: string | null;
  seq: number;
  ruleId: string | null;
  activatedAt: Date;
}

/** Present depending on the kind, which the operation that creates rules ensures. */
const earningFields: Record<EarningField, SchemaDefinitionProperty> = {
  points: { type: Number },
  unitCents: { type: Number },
};

export const earningRuleSchema = new Schema<EarningRuleDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    integrationId: { type: String, default: null },
    currency: { type: String, required: true },
    kind: { type: String, enum: ruleKinds, required: true },
    ...earningFields,
    minimumOrderCents: { type: Number, required: true },
    multiplier: { type: Number, required: true },
    campaign: {
      type: new Schema({ startsAt: String, endsAt: String }, { _id: false }),
      default: null,
    },
    capPerOrderPoints: { type: Number, default: null },
    capPerCustomerDayPoints: { type: Number, default: null },
    claimWindow: { type: String, required: true },
    pointValueMicros: { type: Number, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'earning_rules', versionKey: false },
);
earningRuleSchema.index({ partnerId: 1, _id: 1 }, { unique: true });

export const ruleActivationSchema = new Schema<RuleActivationDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    currency: { type: String, required: true },
    integrationId: { type: String, default: null },
    seq: { type: Number, required: true },
    ruleId: { type: String, default: null },
    activatedAt: { type: Date, required: true },
  },
  { collection: 'rule_activations', versionKey: false },
);
ruleActivationSchema.index(
  { partnerId: 1, mode: 1, currency: 1, integrationId: 1, seq: -1 },
  { unique: true },
);
