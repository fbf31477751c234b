import { Interval, Invoice, SubscriptionStatus } from './account.ts';
import { get, post, section } from './operations.ts';
import * as at from './parameters.ts';
import * as refused from './responses.ts';
import {
  choice,
  day,
  instant,
  list,
  object,
  optional,
  orNull,
  type Schema,
  text,
  whole,
} from './shapes.ts';
import { Proposed, page } from './shared.ts';

export const ExternalReference: Schema = text('Its reference elsewhere, such as the bank’s.', {
  minLength: 1,
  maxLength: 160,
  pattern:
    '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
});

export const PaymentCreate: Schema = object({
  amountCents: whole('At most what is left to pay.', { minimum: 1, maximum: 100000000000 }),
  currency: text('The invoice’s.', { pattern: '^[A-Z]{3}$' }),
  paidOn: day('The day at the bank, not in the future.'),
  reference: ExternalReference,
});

export const PaymentReversalCreate: Schema = object({
  reference: ExternalReference,
  reason: text('The partner reads it.', { minLength: 1, maxLength: 500, pattern: '^\\S' }),
});

export const InvoiceVoid: Schema = object({
  reason: text('The partner reads it on the credit note.', {
    minLength: 1,
    maxLength: 500,
    pattern: '^\\S',
  }),
});

export const PlanVersionRecord: Schema = object({
  planVersionId: text('The plan version, `pln_…`.', { minLength: 1 }),
  planCode: text('The same for all versions of the plan.'),
  version: whole('Counts the versions of the plan, from 1.'),
  name: text('The plan’s name for people.'),
  currency: text('The currency’s code of ISO 4217.', { pattern: '^[A-Z]{3}$' }),
  monthlyPriceCents: whole('The price of a month, in minor units.', { minimum: 0 }),
  annualPriceCents: whole('The price of a year, in minor units.', { minimum: 0 }),
  includedPoints: whole('Per month. A year includes twelve times as many.', { minimum: 0 }),
  overageRateMicrosPerPoint: whole('Millionths of the currency unit.', { minimum: 0 }),
  apiRateLimitPerMinute: whole('Signed requests that all keys of a mode can send in a minute.'),
  supportClass: text('The support that the plan includes.'),
  features: list(text(), 'What else the plan includes, each in a few words.'),
  status: choice(
    ['DRAFT', 'PUBLISHED', 'ARCHIVED'],
    '`DRAFT`: not published. `PUBLISHED`: partners can choose it. `ARCHIVED`: only those who have it keep it.',
  ),
  createdAt: instant('When it was created, ISO 8601 in UTC.'),
  publishedAt: orNull(instant('When it was published, ISO 8601 in UTC; null before.')),
  archivedAt: orNull(instant('When it was archived, ISO 8601 in UTC; null before.')),
});

export const PlanVersionCreate: Schema = object({
  planCode: text('The same for all versions of the plan; a known one creates its next version.', {
    pattern: '^[a-z][a-z0-9-]{0,39}$',
  }),
  name: text('The plan’s name for people.', {
    minLength: 1,
    maxLength: 100,
    pattern:
      '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
  currency: optional(
    text('The currency’s code of ISO 4217.', { pattern: '^[A-Z]{3}$', default: 'USD' }),
  ),
  monthlyPriceCents: whole('The price of a month, in minor units.', {
    minimum: 0,
    maximum: 1000000000,
  }),
  annualPriceCents: whole('The price of a year, in minor units.', {
    minimum: 0,
    maximum: 1000000000,
  }),
  includedPoints: whole('Points included in a month. A year includes twelve times as many.', {
    minimum: 0,
    maximum: 1000000000000,
  }),
  overageRateMicrosPerPoint: whole(
    'The price of a point beyond the included ones, in millionths of the currency unit.',
    { minimum: 0, maximum: 1000000000 },
  ),
  apiRateLimitPerMinute: whole('Signed requests that all keys of a mode can send in a minute.', {
    minimum: 1,
    maximum: 1000000,
  }),
  supportClass: text('The support that the plan includes.', {
    minLength: 1,
    maxLength: 40,
    pattern:
      '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
  features: optional(
    list(
      text(undefined, {
        minLength: 1,
        maxLength: 100,
        pattern:
          '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
      }),
      'What else the plan includes, each in a few words.',
      { maxItems: 50 },
    ),
  ),
});

export const Terms: Schema = object(
  {
    priceCents: whole('The price of the period, in minor units.', { minimum: 0 }),
    includedPoints: whole('Points included in the period.', { minimum: 0 }),
    overageRateMicrosPerPoint: whole(
      'The price of a point beyond the included ones, in millionths of the currency unit.',
      { minimum: 0 },
    ),
    currency: text('The currency’s code of ISO 4217.'),
  },
  { description: 'The terms that the current period is billed by.' },
);

export const Subscription: Schema = object({
  subscriptionId: text('The subscription, `sub_…`.'),
  partnerId: text('The partner, `prt_…`.'),
  planVersionId: text('The plan version, `pln_…`.', { minLength: 1 }),
  interval: Interval,
  status: SubscriptionStatus,
  anchorAt: instant('All periods are counted from here.'),
  endsAt: orNull(instant('When the cancelled subscription ends, ISO 8601 in UTC; null otherwise.')),
  currentPeriodStart: instant('The first moment of the current billing period, ISO 8601 in UTC.'),
  currentPeriodEnd: instant('The first moment after it, ISO 8601 in UTC.'),
  terms: Terms,
  creditCents: whole(
    'Credit for points given back after their period was billed; the next invoice uses it.',
    { minimum: 0 },
  ),
  pendingPlanVersionId: orNull(
    text('The plan version from the next period on, `pln_…`; null without a scheduled change.'),
  ),
  createdAt: instant('When it was created, ISO 8601 in UTC.'),
});

export const SubscriptionCreate: Schema = object({
  planVersionId: text('The published plan version, `pln_…`.', { minLength: 1, maxLength: 64 }),
  interval: optional({
    type: 'string',
    enum: ['MONTH', 'YEAR'],
    default: 'MONTH',
    description: 'The length of a billing period: `MONTH` or `YEAR`.',
  }),
});

export const SubscriptionChange: Schema = object({
  planVersionId: text('The published plan version, `pln_…`.', { minLength: 1, maxLength: 64 }),
});

export const billing = section('Plans and billing', 'What partners pay for the service.', [
  get('/admin/v1/plans', {
    id: 'listPlanVersions',
    summary: 'List plan versions',
    by: 'operator',
    parameters: [at.PlanStatusFilter, at.Limit, at.Cursor],
    gives: { 200: ['A page, newest first.', page(PlanVersionRecord)] },
    errors: { 400: refused.InvalidInput },
  }),
  post('/admin/v1/plans', {
    id: 'createPlanVersion',
    summary: 'Create a draft plan version',
    by: 'operator',
    body: PlanVersionCreate,
    gives: { 201: ['The draft is created.', PlanVersionRecord] },
    errors: { 400: refused.InvalidInput, 409: refused.Conflict },
  }),
  post('/admin/v1/plans/{planVersionId}/publish', {
    id: 'publishPlanVersion',
    summary: 'Publish a plan version',
    description: 'A published version never changes.',
    by: 'operator',
    parameters: [at.PlanVersionId],
    gives: { 200: ['The published version.', PlanVersionRecord] },
    errors: { 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/plans/{planVersionId}/archive', {
    id: 'archivePlanVersion',
    summary: 'Archive a plan version',
    description: 'Partners can no longer choose it. Partners who have it keep it.',
    by: 'operator',
    parameters: [at.PlanVersionId],
    gives: { 200: ['The archived version.', PlanVersionRecord] },
    errors: { 404: refused.NotFound },
  }),
  get('/admin/v1/partners/{partnerId}/subscription', {
    id: 'getSubscription',
    summary: 'Retrieve a partner’s subscription',
    by: 'operator',
    parameters: [at.PartnerId],
    gives: { 200: ['The subscription.', Subscription] },
    errors: { 404: refused.NotFound },
  }),
  post('/admin/v1/partners/{partnerId}/subscription', {
    id: 'createSubscription',
    summary: 'Create a subscription',
    by: 'operator',
    parameters: [at.PartnerId],
    body: SubscriptionCreate,
    gives: {
      201: ['The subscription is created.', Subscription],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/partners/{partnerId}/subscription/change', {
    id: 'changeSubscription',
    summary: 'Change a partner’s plan',
    description:
      'An upgrade takes effect at once, with an invoice for the rest of the period; a downgrade with the next period.',
    by: 'operator',
    parameters: [at.PartnerId],
    body: SubscriptionChange,
    gives: {
      200: ['The updated subscription.', Subscription],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/partners/{partnerId}/subscription/cancel', {
    id: 'cancelSubscription',
    summary: 'Cancel a subscription at the end of its period',
    by: 'operator',
    parameters: [at.PartnerId],
    gives: { 200: ['The subscription, with the date on which it ends.', Subscription] },
    errors: { 404: refused.NotFound, 409: refused.Conflict },
  }),
  get('/admin/v1/partners/{partnerId}/invoices', {
    id: 'listInvoices',
    summary: 'List a partner’s invoices',
    by: 'operator',
    parameters: [at.PartnerId, at.Limit, at.Cursor],
    gives: { 200: ['A page, newest first.', page(Invoice)] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound },
  }),
  post('/admin/v1/partners/{partnerId}/invoices/{invoiceId}/payments', {
    id: 'recordPayment',
    summary: 'Record a payment of an invoice',
    description:
      'All of it or a part. Two operators. Repeating a reference of the invoice changes nothing.',
    by: 'operator',
    parameters: [at.PartnerId, at.InvoiceId],
    body: PaymentCreate,
    gives: {
      200: ['The invoice, with the payment.', Invoice],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/partners/{partnerId}/invoices/{invoiceId}/reversals', {
    id: 'reversePayment',
    summary: 'Reverse a payment of an invoice',
    description:
      'The payment was recorded and did not arrive: what it paid is due again. Two operators. Once per payment; repeating it changes nothing.',
    by: 'operator',
    parameters: [at.PartnerId, at.InvoiceId],
    body: PaymentReversalCreate,
    gives: {
      200: ['The invoice, with the reversal.', Invoice],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/partners/{partnerId}/invoices/{invoiceId}/void', {
    id: 'voidInvoice',
    summary: 'Void an invoice',
    description: 'A credit note takes all of it back. Two operators. 409 once something is paid.',
    by: 'operator',
    parameters: [at.PartnerId, at.InvoiceId],
    body: InvoiceVoid,
    gives: {
      200: ['The invoice, with its credit note.', Invoice],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
]);
