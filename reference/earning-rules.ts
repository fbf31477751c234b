import { get, post, section } from './operations.ts';
import * as at from './parameters.ts';
import * as refused from './responses.ts';
import {
  choice,
  decimal,
  flag,
  instant,
  likeOrNull,
  object,
  only,
  optional,
  orNull,
  type Schema,
  text,
  whole,
} from './shapes.ts';
import { Mode, Proposed, page } from './shared.ts';

export const RuleKind: Schema = choice(
  ['PER_AMOUNT', 'FIXED'],
  '`PER_AMOUNT`: `points` for every `unitCents` of the subtotal. `FIXED`: `points` for every order.',
);

export const Earning: Schema = {
  type: 'object',
  description: 'The fields of each kind of rule. A rule has no fields of another kind.',
  required: ['kind'],
  oneOf: [
    {
      title: 'PER_AMOUNT',
      required: ['points', 'unitCents'],
      properties: { kind: only('PER_AMOUNT') },
    },
    {
      title: 'FIXED',
      required: ['points'],
      properties: { kind: only('FIXED') },
      not: { required: ['unitCents'] },
    },
  ],
};

export const Campaign: Schema = object({
  startsAt: text('ISO 8601 with a timezone offset.'),
  endsAt: text('Exclusive, after `startsAt`: ISO 8601 with a timezone offset.'),
});

export const RuleBudget: Schema = object(
  {
    name: text(
      'Rules of a mode whose budgets have the same name share one count, so that a new version goes on with it.',
      { minLength: 1, maxLength: 60 },
    ),
    totalPoints: optional(
      orNull(
        whole('The points in all; null for no limit.', { minimum: 1, maximum: 1000000000000 }),
      ),
    ),
    monthPoints: optional(
      orNull(
        whole('The points of a calendar month in the partner’s time zone; null for no limit.', {
          minimum: 1,
          maximum: 1000000000000,
        }),
      ),
    ),
  },
  { description: 'At least one of `totalPoints` and `monthPoints` is set.' },
);

export const EarningRule: Schema = object(
  {
    ruleId: text('The version of the rule, `rul_…`.'),
    active: flag('Whether purchases earn by it.'),
    partnerId: text('The partner, `prt_…`.'),
    mode: Mode,
    integrationId: orNull(text('Null for all integrations of the partner.')),
    currency: text('The currency’s code of ISO 4217.', { pattern: '^[A-Z]{3}$' }),
    kind: RuleKind,
    points: optional(whole('Per `unitCents`, or per order.', { minimum: 0, maximum: 100000 })),
    unitCents: optional(
      whole(
        'The amount that earns `points`, in minor units; absent for a rule of the kind `FIXED`.',
        { minimum: 1, maximum: 100000000 },
      ),
    ),
    minimumOrderCents: whole('A smaller order earns 0 points. In minor units.', {
      minimum: 0,
      maximum: 100000000,
    }),
    multiplier: decimal('With at most two decimals.', { minimum: 1, maximum: 100 }),
    campaign: likeOrNull(Campaign, 'When the multiplier applies. Null for always.'),
    capPerOrderPoints: orNull(
      whole('The most points that an order earns; null for no cap.', {
        minimum: 0,
        maximum: 1000000000,
      }),
    ),
    capPerCustomerDayPoints: orNull(
      whole(
        'The most points that a customer earns in a day of the partner’s time zone; null for no cap.',
        { minimum: 0, maximum: 1000000000 },
      ),
    ),
    budget: likeOrNull(
      RuleBudget,
      'The points that purchases may earn under it; what exceeds them is cut. Null for no limit.',
    ),
    claimWindow: text('An ISO 8601 duration.', { maxLength: 64 }),
    holdFor: orNull(
      text(
        'How long after the purchase its points cannot be claimed yet: an ISO 8601 duration of at most a year. Null for not at all.',
        { maxLength: 64 },
      ),
    ),
    pointValueMicros: whole('What a point costs the partner, in millionths of the currency unit.', {
      minimum: 0,
      maximum: 1000000000,
    }),
    createdAt: instant('When it was created, ISO 8601 in UTC.'),
  },
  { allOf: [Earning] },
);

export const EarningRuleCreate: Schema = object(
  {
    mode: Mode,
    integrationId: optional(orNull(text('Null for all integrations of the partner.'))),
    currency: text('The currency’s code of ISO 4217.', { pattern: '^[A-Z]{3}$' }),
    kind: RuleKind,
    points: optional(whole('Per `unitCents`, or per order.', { minimum: 0, maximum: 100000 })),
    unitCents: optional(
      whole(
        'The amount that earns `points`, in minor units; absent for a rule of the kind `FIXED`.',
        { minimum: 1, maximum: 100000000 },
      ),
    ),
    minimumOrderCents: optional(
      whole('A smaller order earns 0 points. In minor units.', { minimum: 0, maximum: 100000000 }),
    ),
    multiplier: optional(decimal('With at most two decimals.', { minimum: 1, maximum: 100 })),
    campaign: optional(likeOrNull(Campaign, 'When the multiplier applies. Null for always.')),
    capPerOrderPoints: optional(
      orNull(
        whole('The most points that an order earns; null for no cap.', {
          minimum: 0,
          maximum: 1000000000,
        }),
      ),
    ),
    capPerCustomerDayPoints: optional(
      orNull(
        whole(
          'The most points that a customer earns in a day of the partner’s time zone; null for no cap.',
          { minimum: 0, maximum: 1000000000 },
        ),
      ),
    ),
    budget: optional(
      likeOrNull(
        RuleBudget,
        'The points that purchases may earn under it; what exceeds them is cut. Null for no limit.',
      ),
    ),
    claimWindow: optional(text('An ISO 8601 duration.', { maxLength: 64 })),
    holdFor: optional(
      orNull(
        text(
          'How long after the purchase its points cannot be claimed yet: an ISO 8601 duration of at most a year. Null for not at all.',
          { maxLength: 64 },
        ),
      ),
    ),
    pointValueMicros: optional(
      whole('What a point costs the partner, in millionths of the currency unit.', {
        minimum: 0,
        maximum: 1000000000,
      }),
    ),
  },
  { allOf: [Earning] },
);

export const earningRules = section('Earning rules', 'How many points a purchase earns.', [
  get('/admin/v1/partners/{partnerId}/earning-rules', {
    id: 'listEarningRules',
    summary: 'List a partner’s earning rules',
    by: 'operator',
    parameters: [at.PartnerId, at.Limit, at.Cursor],
    gives: { 200: ['A page, newest first.', page(EarningRule)] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound },
  }),
  post('/admin/v1/partners/{partnerId}/earning-rules', {
    id: 'createEarningRule',
    summary: 'Create an earning rule',
    description: 'A version never changes, and earns nothing until it is activated.',
    by: 'operator',
    parameters: [at.PartnerId],
    body: EarningRuleCreate,
    gives: { 201: ['The version is created.', EarningRule] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound },
  }),
  post('/admin/v1/earning-rules/{ruleId}/activate', {
    id: 'activateEarningRule',
    summary: 'Activate an earning rule',
    description: 'Replaces the version that is active for the same mode, currency and integration.',
    by: 'operator',
    parameters: [at.RuleId],
    gives: {
      200: ['The active version.', EarningRule],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/earning-rules/{ruleId}/deactivate', {
    id: 'deactivateEarningRule',
    summary: 'Deactivate an earning rule',
    by: 'operator',
    parameters: [at.RuleId],
    gives: {
      200: ['The version is inactive. No other one takes its place.', EarningRule],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 404: refused.NotFound, 409: refused.Conflict },
  }),
]);
