import Joi from 'joi';
import { DateTime } from 'luxon';
import { digitsOf, microsPerMinor } from '../../domain/currencies.ts';
import {
  type Earning,
  type EarningField,
  type RuleKind,
  type RuleTerms,
  ruleKinds,
  ruleLimits,
} from '../../domain/earning-rules.ts';
import type { Mode } from '../../domain/mode.ts';
import { formatCents, formatMicros } from '../../domain/money.ts';
import { parseDecimal } from '../../domain/numbers.ts';
import { maxSubtotalCents } from '../../domain/points.ts';
import { budgetLimits } from '../../domain/rule-budgets.ts';
import type { RuleFields } from '../../operations/earning-rules.ts';
import { tooLarge, tooSmall } from './default-messages.ts';
import {
  type ClaimWindowUnit,
  claimWindowFields,
  claimWindowOf,
  claimWindowUnits,
  countField,
  currencyField,
  type FieldContext,
  holdFields,
  moneyField,
  nameField,
} from './fields.ts';
import { type Filled, filledWith } from './submit.ts';

/** The form of a rule. Each setting has one text field, which is ignored if the chosen kind does not use it. */
export interface RuleForm extends Record<EarningField, number | undefined> {
  /** Save as a draft, or activate at once. */
  step: 'draft' | 'activate';
  currency: string;
  /** Empty for all integrations. */
  integrationId?: string;
  kind: RuleKind;
  minimumOrderCents: number;
  multiplier: number;
  startsAt?: string;
  endsAt?: string;
  capPerOrderPoints?: number;
  capPerCustomerDayPoints?: number;
  /** What the budget is called; absent without one. */
  budgetName?: string;
  totalPoints?: number;
  monthPoints?: number;
  /** In its unit. */
  claimWindow: number;
  claimWindowUnit: ClaimWindowUnit;
  /** In its unit; absent for none. */
  holdFor?: number;
  holdForUnit: ClaimWindowUnit;
  pointValueMicros: number;
}

/** A `datetime-local` value, read as UTC. */
const minute = Joi.string()
  .pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/)
  .custom((text: string, { error }) =>
    DateTime.fromISO(text, { zone: 'utc' }).isValid ? text : error('any.invalid'),
  )
  .messages({
    'string.pattern.base': 'Enter a date and a time, such as 2026-11-27T00:00.',
    'any.invalid': 'Enter a date and a time, such as 2026-11-27T00:00.',
  });

/** The fields that each kind uses. */
const fieldsOfKind: Record<RuleKind, readonly EarningField[]> = {
  PER_AMOUNT: ['points', 'unitCents'],
  FIXED: ['points'],
};

/** Names, types and bounds in the form's units; the operation validates everything again. */
export const ruleFormSchema = Joi.object<RuleForm>({
  step: Joi.string().valid('draft', 'activate').default('draft'),
  currency: currencyField.required().messages({ 'any.required': 'Enter a currency.' }),
  integrationId: Joi.string().max(64),
  kind: Joi.string()
    .valid(...ruleKinds)
    .required()
    .messages({
      'any.only': 'Choose how the rule earns points.',
      'any.required': 'Choose how the rule earns points.',
    }),
  points: countField(0, ruleLimits.points)
    .required()
    .messages({ 'any.required': 'Enter the number of points.' }),
  unitCents: moneyField('cents', { min: 1, max: ruleLimits.unitCents }).when('kind', {
    is: 'PER_AMOUNT',
    // biome-ignore lint/suspicious/noThenProperty: what Joi calls it
    then: Joi.required(),
  }),
  minimumOrderCents: moneyField('cents', { max: maxSubtotalCents }).default(0),
  multiplier: Joi.string()
    .trim()
    .custom((text: string, { error, prefs }) => {
      const hundredths = parseDecimal(text, 2, (prefs.context as FieldContext | undefined)?.mark);
      if (hundredths === undefined) return error('any.custom');
      if (hundredths < 100) return error('number.min', { limit: 1 });
      const { multiplier: limit } = ruleLimits;
      return hundredths > limit * 100 ? error('number.max', { limit }) : hundredths / 100;
    })
    .default(1)
    .messages({
      'any.custom': 'Enter a number with at most two decimals, such as 1.5.',
      'number.min': tooSmall,
      'number.max': tooLarge,
    }),
  startsAt: minute,
  endsAt: minute,
  capPerOrderPoints: countField(0, ruleLimits.capPoints),
  capPerCustomerDayPoints: countField(0, ruleLimits.capPoints),
  budgetName: nameField.max(budgetLimits.nameChars),
  totalPoints: countField(1, budgetLimits.points),
  monthPoints: countField(1, budgetLimits.points),
  claimWindow: countField(1, 1_000_000_000)
    .required()
    .messages({ 'any.required': 'Enter a number, such as 30.' }),
  claimWindowUnit: Joi.string()
    .valid(...claimWindowUnits)
    .default('DAYS'),
  holdFor: countField(1, 1_000_000_000),
  holdForUnit: Joi.string()
    .valid(...claimWindowUnits)
    .default('DAYS'),
  pointValueMicros: moneyField('micros', {
    max: ruleLimits.pointValueMicros,
  }).default(10_000),
})
  .and('startsAt', 'endsAt')
  .with('totalPoints', 'budgetName')
  .with('monthPoints', 'budgetName')
  .messages({
    'object.and': 'Enter both the start and the end of the campaign, or neither.',
    'object.with': 'Enter a name for the budget.',
  });

/** The rule that a form describes. */
export function ruleOfForm(
  mode: Mode,
  {
    step: _,
    startsAt,
    endsAt,
    claimWindow,
    claimWindowUnit,
    holdFor,
    holdForUnit,
    budgetName,
    totalPoints,
    monthPoints,
    ...form
  }: RuleForm,
): RuleFields {
  const { kind, points, unitCents, integrationId = null, ...terms } = form;
  const earning = { points, unitCents };
  const own = fieldsOfKind[kind].map((name) => [name, earning[name]]);
  return {
    ...terms,
    mode,
    kind,
    integrationId,
    claimWindow: claimWindowOf(claimWindow, claimWindowUnit),
    ...(holdFor !== undefined && { holdFor: claimWindowOf(holdFor, holdForUnit) }),
    ...(budgetName !== undefined && {
      budget: {
        name: budgetName,
        totalPoints: totalPoints ?? null,
        monthPoints: monthPoints ?? null,
      },
    }),
    ...Object.fromEntries(own),
    campaign: startsAt && endsAt ? { startsAt: asIso(startsAt), endsAt: asIso(endsAt) } : null,
  } as RuleFields;
}

const asIso = (minuteText: string): string => `${minuteText}:00Z`;

/** What a rule says, whoever's it is. */
export type TermsOfRule = Earning & Omit<RuleTerms, 'partnerId'>;

/** A form filled with an existing rule. */
export function formOfRule(rule: TermsOfRule): Filled {
  const { campaign } = rule;
  return filledWith({
    currency: rule.currency,
    integrationId: rule.integrationId,
    kind: rule.kind,
    points: rule.points,
    unitCents: rule.kind === 'PER_AMOUNT' ? formatCents(rule.unitCents, rule.currency) : null,
    minimumOrderCents: formatCents(rule.minimumOrderCents, rule.currency),
    multiplier: rule.multiplier,
    startsAt: campaign && minuteOf(campaign.startsAt),
    endsAt: campaign && minuteOf(campaign.endsAt),
    ...claimWindowFields(rule.claimWindow),
    ...holdFields(rule.holdFor),
    capPerOrderPoints: rule.capPerOrderPoints,
    capPerCustomerDayPoints: rule.capPerCustomerDayPoints,
    budgetName: rule.budget?.name,
    totalPoints: rule.budget?.totalPoints,
    monthPoints: rule.budget?.monthPoints,
    pointValueMicros: formatMicros(rule.pointValueMicros),
  });
}

const minuteOf = (iso: string): string => new Date(iso).toISOString().slice(0, 16);

/** A first rule: one point, worth a minor unit, for every unit of the currency. */
export const firstRule = (currency: string): TermsOfRule => ({
  mode: 'TEST',
  currency,
  integrationId: null,
  kind: 'PER_AMOUNT',
  points: 1,
  unitCents: 10 ** digitsOf(currency),
  multiplier: 1,
  campaign: null,
  minimumOrderCents: 0,
  capPerOrderPoints: null,
  capPerCustomerDayPoints: null,
  claimWindow: 'P30D',
  pointValueMicros: Number(microsPerMinor(currency)),
});

export const newRuleForm = (currency: string): Filled => formOfRule(firstRule(currency));
