import {
  CheckoutRedemption,
  OrderResponse,
  PartnerReward,
  PurchaseCustomer,
  RewardRefund,
  TimestampOrNull,
} from './events.ts';
import { get, post, section } from './operations.ts';
import { inPath, inQuery } from './parameter.ts';
import * as at from './parameters.ts';
import * as refused from './responses.ts';
import {
  choice,
  day,
  flag,
  instant,
  like,
  likeOrNull,
  list,
  object,
  optional,
  orNull,
  type Schema,
  text,
  whole,
} from './shapes.ts';
import {
  Cents,
  Currency,
  EventId,
  ExternalId,
  Mode,
  NextCursor,
  Points,
  RewardId,
  RewardStatus,
  Success,
  Timestamp,
} from './shared.ts';

export const RewardResponse: Schema = object({
  success: Success,
  mode: Mode,
  reward: PartnerReward,
});

export const TreeHash: Schema = text('A SHA-256 hash in base64.', {
  pattern: '^[A-Za-z0-9+/]{43}=$',
  example: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
});

export const ReceiptEntry: Schema = object({
  index: whole('The place of the entry in the log, from 0.', { minimum: 0, example: 1203 }),
  leaf: text(
    "The entry as the log has it, to the byte, in UTF-8: JSON with `id`, `partnerId`, `at`, `kind`, `reference`, `rewardId`, `postings` (`account`, `unit`, `amount`; they sum to zero in each unit) and `hash`, the entry's keyed hash, which binds it to the one before it in the ledger. Customers are blinded, differently for each reward; balances are left out.",
    { example: '{"id":"txn_01K7…","kind":"RESERVE","rewardId":"PNR_01K7…"}' },
  ),
  inclusionProof: list(
    TreeHash,
    'Proves that the entry is in the log: the audit path of RFC 6962, 2.1.1, hashes in base64.',
  ),
});

export const SigningKey: Schema = object({
  kty: { type: 'string', const: 'OKP', description: 'The type of key (RFC 8037).' },
  crv: { type: 'string', const: 'Ed25519', description: 'The curve (RFC 8037).' },
  x: text('The public key, in base64url.', {
    pattern: '^[A-Za-z0-9_-]{43}$',
    example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  }),
  kid: text("The key's thumbprint (RFC 7638), which a tree head names.", {
    pattern: '^[A-Za-z0-9_-]{43}$',
    example: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  }),
  use: { type: 'string', const: 'sig', description: 'The key is for signatures.' },
  alg: { type: 'string', const: 'EdDSA', description: 'The algorithm of the signature.' },
  createdAt: like(Timestamp, 'When the key started to sign, ISO 8601 in UTC.'),
  retiredAt: like(
    TimestampOrNull,
    'When the key stopped signing, ISO 8601 in UTC; null for the current one. What it signed before stays valid.',
  ),
});

export const Receipt: Schema = object(
  {
    format: {
      type: 'string',
      const: 'partner-events/receipt/1',
      description: 'The format of the receipt and its version.',
    },
    rewardId: RewardId,
    entries: list(
      ReceiptEntry,
      "The reward's entries that the tree head covers, in the order of the ledger.",
      { minItems: 1, maxItems: 500 },
    ),
    pendingEntries: whole('How many entries of the reward are newer than the tree head.', {
      minimum: 0,
      example: 0,
    }),
    treeHead: text(
      "The signed tree head, a JWS in compact form with `alg` `EdDSA` and the key's `kid`. Its payload is JSON: `log` (whose log it is), `size` (how many entries it covers), `rootHash` (base64 of the Merkle tree hash of RFC 6962, 2.1, with SHA-256) and `signedAt`.",
      { example: 'eyJhbGciOiJFZERTQSIsImtpZCI6IuKApiJ9.eyJsb2ciOiLigKYifQ.c2lnbmF0dXJl' },
    ),
    previousTreeHead: orNull(
      text('The signed tree head of the day before, in the same form; null for the first.', {
        example: 'eyJhbGciOiJFZERTQSIsImtpZCI6IuKApiJ9.eyJsb2ciOiLigKYifQ.c2lnbmF0dXJl',
      }),
    ),
    consistencyProof: list(
      TreeHash,
      'Proves that entries were only added since the previous head: the consistency proof of RFC 6962, 2.1.2, hashes in base64. Empty for the first head.',
    ),
    statement: text(
      'What the service states about the reward, a JWS as the heads are. Its payload is JSON: `log` and `size` of the newest head, `rewardId`, `indexes` of all its entries under that head, and `pendingEntries`. So no entry can be left out of a receipt.',
      { example: 'eyJhbGciOiJFZERTQSIsImtpZCI6IuKApiJ9.eyJsb2ciOiLigKYifQ.c2lnbmF0dXJl' },
    ),
    keys: list(
      SigningKey,
      'The public keys of the heads. They help to find the right one; verify with those of [getSigningKeys](#getSigningKeys).',
    ),
  },
  {
    description:
      "The reward's entries in the ledger, with the proofs that the signed log contains them.",
  },
);

export const ReceiptResponse: Schema = object({ success: Success, mode: Mode, receipt: Receipt });

export const PartnerOrder: Schema = object(
  {
    externalOrderId: like(ExternalId, 'Your id of the order.'),
    currency: like(Currency, 'The currency of the order.'),
    subtotalCents: like(
      Cents,
      "The subtotal that was reported, in minor units of the order's currency.",
      { example: 4990 },
    ),
    refundedCents: like(
      Cents,
      'How much of it was refunded, in minor units: with what is under review, and without what was dismissed.',
      { example: 1200 },
    ),
    remainingCents: like(Cents, 'How much of it can still be refunded, in minor units.', {
      example: 3790,
    }),
    reward: PartnerReward,
    refunds: list(RewardRefund, 'The same as in the reward.', { maxItems: 100 }),
    redemptions: list(
      CheckoutRedemption,
      'The redemptions of your integration that named the order, the newest first, at most 100.',
      { maxItems: 100 },
    ),
  },
  { description: 'An order as it is now.' },
);

export const OrderList: Schema = object({
  success: Success,
  mode: Mode,
  orders: list(PartnerOrder, 'The orders of this page.', { maxItems: 100 }),
  nextCursor: NextCursor,
});

export const OrderSearch: Schema = object(
  {
    customer: PurchaseCustomer,
    limit: optional(
      orNull(
        whole('The most items to return; 25 if absent.', { minimum: 1, maximum: 100, example: 25 }),
      ),
    ),
    cursor: optional(
      orNull(
        text('The `nextCursor` of the previous page.', { maxLength: 256, example: 'UE5SXzAxSzda' }),
      ),
    ),
    changedSince: optional(
      orNull(
        instant(
          'Return only what changed at this time or later, ISO 8601 with a timezone offset.',
          { example: '2026-01-31T00:00:00Z' },
        ),
      ),
    ),
    receivedFrom: optional(
      orNull(
        instant(
          'Return only what was recorded at this time or later, ISO 8601 with a timezone offset.',
          { example: '2026-01-31T00:00:00Z' },
        ),
      ),
    ),
    receivedTo: optional(
      orNull(
        instant(
          'Return only what was recorded before this time, ISO 8601 with a timezone offset.',
          { example: '2026-02-01T00:00:00Z' },
        ),
      ),
    ),
    status: optional(
      likeOrNull(
        RewardStatus,
        'Return only orders whose reward has this status: `PENDING`, `AWAITING_FUNDING`, `AVAILABLE`, `EXPIRED`, `CANCELLED` or\n`ADMIN_REVIEW`.\n',
      ),
    ),
  },
  { example: { customer: { email: 'a@b.co' } } },
);

export const ReconciliationCounts: Schema = object({
  rows: whole('Rows of the list.', { minimum: 1, example: 120 }),
  matched: whole('Rows without a difference.', { minimum: 0, example: 118 }),
  missing: whole('Rows that were never reported.', { minimum: 0, example: 1 }),
  notInFile: whole('Orders and refunds that were reported and are not in the list.', {
    minimum: 0,
    example: 0,
  }),
  duplicate: whole('Rows whose order or refund is in an earlier row.', { minimum: 0, example: 0 }),
  mismatched: whole('Rows that were reported with other values.', { minimum: 0, example: 1 }),
  unknownStatus: whole('Rows with one of `unknownStatuses`.', { minimum: 0, example: 0 }),
});

export const Repair: Schema = object({
  method: choice(['POST'], 'The method of the request.'),
  path: choice(
    ['/api/v1/partner/purchases', '/api/v1/partner/refunds'],
    'The path of the request:\n\n- `/api/v1/partner/purchases` reports a purchase\n- `/api/v1/partner/refunds` reports a refund\n',
  ),
  body: {
    type: 'object',
    description: 'The body of the request, without the fields that `add` names.',
    example: { externalOrderId: 'A1', order: { subtotalCents: 4990, currency: 'USD' } },
  },
  add: list(
    text(undefined, { example: 'customer' }),
    'Fields that you have to add to the body, because the list does not have them.',
  ),
});

export const Difference: Schema = object({
  kind: choice(
    {
      MISSING: 'in the list, but never reported',
      NOT_IN_FILE: 'reported, but not in the list',
      DUPLICATE: 'in an earlier row, too',
      MISMATCHED: 'reported with other values',
    },
    'What differs',
  ),
  externalOrderId: text('Your id of the order.', { example: 'A1' }),
  externalRefundId: orNull(
    text('Your id of the refund; null if the difference is about the order itself.', {
      example: null,
    }),
  ),
  row: orNull(
    whole(
      'The row in the list; the header of a CSV file is row 1. Null if it is not in the list.',
      { example: 7 },
    ),
  ),
  eventId: orNull(
    text('The event that reported the order or refund, `evt_…`; null if nothing did.', {
      example: null,
    }),
  ),
  what: text('The difference in English.', { example: 'was never reported' }),
  repair: likeOrNull(
    Repair,
    'The request that repairs the difference, to be sent with an `Idempotency-Key`; null if a person has to decide, as about another subtotal.',
  ),
});

export const Reconciliation: Schema = object(
  {
    id: text('Identifies the order comparison, `job_…`.', {
      pattern: '^job_',
      example: 'job_01K7ZT1D4G7J0M3P6R9T2V5X8B',
    }),
    status: choice(
      {
        QUEUED: 'it has not started yet',
        RUNNING: 'the list is being compared',
        DONE: 'the result is complete',
        FAILED: 'it could not be completed; send the list again',
      },
      'How far the comparison is',
    ),
    createdAt: like(Timestamp, 'When the list arrived, ISO 8601 in UTC.'),
    finishedAt: like(TimestampOrNull, 'When it was done or failed, ISO 8601 in UTC; null before.'),
    expiresAt: like(Timestamp, 'When it is deleted, ISO 8601 in UTC.', {
      example: '2026-03-02T08:30:00.000Z',
    }),
    counts: likeOrNull(ReconciliationCounts, 'What was found; null until it is done.'),
    unknownStatuses: list(
      object({
        status: text('The value, at most 40 characters of it.', { example: 'archived' }),
        rows: whole('How many rows have it.', { minimum: 1, example: 3 }),
      }),
      'Values of the column `refunded` that are not known, at most 20. Whether those orders were refunded is not compared.',
      { maxItems: 20 },
    ),
    checkedFrom: like(
      TimestampOrNull,
      'The start of the time for which reported orders were looked for in the list, ISO 8601 in UTC. Null if a row has no `occurredAt` or the list covers more than 366 days: then they were not looked for.',
    ),
    checkedTo: like(TimestampOrNull, 'The end of that time, ISO 8601 in UTC; null as above.'),
    differences: list(Difference, 'The first page of differences.', { maxItems: 500 }),
    pages: whole('The number of pages of differences, each of up to 500.', {
      minimum: 0,
      example: 1,
    }),
    isCut: flag('Whether there were more than 200,000 differences, of which the first are kept.', {
      example: false,
    }),
    problem: orNull(text('Why it failed; null otherwise.', { example: null })),
  },
  { description: 'An order comparison and its result.' },
);

export const ReconciliationResponse: Schema = object({
  success: Success,
  mode: Mode,
  reconciliation: Reconciliation,
});

export const ReconciliationPage: Schema = object({
  success: Success,
  mode: Mode,
  page: whole('The number of the page, from 1.', { minimum: 1, example: 1 }),
  differences: list(Difference, 'The differences of this page.', { maxItems: 500 }),
});

export const PlanVersion: Schema = object(
  {
    id: text('Identifies the plan version, `pln_…`.', {
      example: 'pln_01K7ZN8W2K5P7S9V1Y4B6E8H0C',
    }),
    planCode: text('The same for all versions of the plan.', { example: 'growth' }),
    version: whole('Counts the versions of the plan, from 1.', { example: 2 }),
    name: text("The plan's name for people.", { example: 'Growth' }),
    currency: like(Currency, 'The currency of its prices, ISO 4217.'),
    monthlyPriceCents: like(Cents, 'The price of a month, in minor units of `currency`.', {
      example: 24900,
    }),
    annualPriceCents: like(Cents, 'The price of a year, in minor units of `currency`.', {
      example: 249000,
    }),
    includedPoints: like(
      Points,
      'Points included in a month. A year includes twelve times as many.',
      { example: 1000000 },
    ),
    overageRateMicrosPerPoint: whole(
      'The price of a point beyond the included ones, in millionths of the currency unit: 400 is 0.0004 USD.',
      { minimum: 0, example: 400 },
    ),
    apiRateLimitPerMinute: whole(
      'Signed requests that all your keys of a mode can send in a minute.',
      { example: 600 },
    ),
    supportClass: text('The support that the plan includes.', { example: 'EMAIL' }),
    features: list(
      text(undefined, { example: 'Webhooks' }),
      'What else the plan includes, each in a few words.',
    ),
    publishedAt: like(TimestampOrNull, 'When it was published, ISO 8601 in UTC; null only before.'),
  },
  { description: 'A published version of a plan, which never changes.' },
);

export const PlansResponse: Schema = object({
  success: Success,
  plans: list(PlanVersion, 'The published plan versions.'),
});

export const Period: Schema = object(
  {
    start: like(Timestamp, 'Its first moment, ISO 8601 in UTC.', {
      example: '2026-01-01T00:00:00.000Z',
    }),
    end: like(Timestamp, 'The first moment after it, ISO 8601 in UTC.', {
      example: '2026-02-01T00:00:00.000Z',
    }),
  },
  { description: 'The billing period.' },
);

export const Projection: Schema = object(
  {
    points: like(Points, 'Points expected to be used by the end of the period.', {
      example: 1032000,
    }),
    lowPoints: like(
      Points,
      'The lower end of the range in which the period ends with a probability of 80 %.',
      { example: 995000 },
    ),
    highPoints: like(Points, 'The upper end of that range.', { example: 1069000 }),
    overagePoints: like(Points, 'How many of `points` are beyond the included ones.', {
      example: 32000,
    }),
    overageCents: like(Cents, 'What those cost, in minor units of the currency of the response.', {
      example: 1280,
    }),
    basisDays: whole('How many days the projection is based on; 0 without usage.', {
      minimum: 0,
      example: 28,
    }),
  },
  {
    description:
      'How the period is expected to end, by a line fitted to at most the last 28 complete days, in which recent days weigh more.',
  },
);

export const Recommendation: Schema = object(
  {
    action: choice(
      {
        STAY: 'keep the plan',
        UPGRADE: 'a plan with a higher price costs less in all',
        DOWNGRADE: 'a plan with a lower or the same price is enough',
      },
      'What to do',
    ),
    planVersionId: orNull(
      text('The plan version to change to, `pln_…`; null to keep the current one.', {
        example: null,
      }),
    ),
    estimatedSavingsCents: like(
      Cents,
      'What a whole billing period would cost less, in minor units of the currency of the response.',
      { example: 0 },
    ),
    reason: text('The reason in one sentence.', {
      example: 'There is less than a week of usage, which is too little to compare the plans.',
    }),
  },
  { description: 'Whether another published plan would cost less.' },
);

export const EventType: Schema = choice(
  { PURCHASE: 'a purchase', REFUND: 'a refund' },
  'What was reported',
  { example: 'PURCHASE' },
);

export const RecentEvent: Schema = object({
  eventId: EventId,
  type: EventType,
  externalOrderId: text('Your id of the order.', { example: 'A1' }),
  points: like(Points, 'The points of its reward, as the event left it.'),
  occurredAt: like(
    TimestampOrNull,
    'When it happened as you reported it, ISO 8601 in UTC; null if you did not.',
  ),
  receivedAt: like(Timestamp, 'When it was recorded, ISO 8601 in UTC.'),
});

export const UsageResponse: Schema = object({
  success: Success,
  mode: Mode,
  currency: like(Currency, 'The currency of all amounts in this response, ISO 4217.'),
  billingPeriod: Period,
  includedPoints: like(Points, 'Points that your plan includes in this period.', {
    example: 1000000,
  }),
  includedPointsConsumed: like(Points, 'How many of them are used. Always 0 in TEST.', {
    example: 801200,
  }),
  overagePoints: like(Points, 'Points used beyond the included ones. Always 0 in TEST.', {
    example: 0,
  }),
  accruedOverageCents: like(
    Cents,
    'What `overagePoints` cost so far, in minor units of `currency`.',
    { example: 0 },
  ),
  rewardLiabilityCents: like(
    Cents,
    'What is reserved for unclaimed rewards or owed to customers, in minor units of `currency`.',
    { example: 184500 },
  ),
  projection: Projection,
  recommendation: Recommendation,
  recentEvents: list(RecentEvent, 'The 20 newest purchases and refunds of the mode, newest first.'),
});

export const Interval: Schema = choice(
  { MONTH: 'a month, at the monthly price', YEAR: 'a year, at the annual price' },
  'The length of a billing period',
  { example: 'MONTH' },
);

export const SubscriptionStatus: Schema = choice(
  { ACTIVE: 'it continues with the next period', CANCELLED: 'it ends at the end of its period' },
  'The state of the subscription',
  { example: 'ACTIVE' },
);

export const SubscriptionSummary: Schema = object({
  id: text('Identifies the subscription, `sub_…`.', { example: 'sub_01K7ZNC3F6J8M0Q2T4W7Z9D1G5' }),
  status: SubscriptionStatus,
  interval: Interval,
  currentPeriodStart: like(
    Timestamp,
    'The first moment of the current billing period, ISO 8601 in UTC.',
    { example: '2026-01-01T00:00:00.000Z' },
  ),
  currentPeriodEnd: like(Timestamp, 'The first moment after it, ISO 8601 in UTC.', {
    example: '2026-02-01T00:00:00.000Z',
  }),
  pendingPlanVersionId: orNull(
    text('The plan version from the next period on, `pln_…`; null without a scheduled change.', {
      example: null,
    }),
  ),
  endsAt: like(
    TimestampOrNull,
    'When the cancelled subscription ends, ISO 8601 in UTC; null otherwise.',
    { example: null },
  ),
});

export const WalletSnapshot: Schema = object(
  {
    currency: like(Currency, 'The currency of its amounts, ISO 4217.'),
    balanceCents: like(Cents, 'The sum of the next two, in minor units of `currency`.', {
      example: 160000,
    }),
    reservedCents: like(
      Cents,
      'What is reserved for rewards that are not claimed yet, in minor units of `currency`.',
      { example: 60000 },
    ),
    availableCents: like(
      Cents,
      'The available funding, for new rewards, in minor units of `currency`.',
      { example: 100000 },
    ),
    asOf: like(Timestamp, 'When this was read, ISO 8601 in UTC.'),
  },
  { description: 'The money for rewards in this mode; in TEST, the test funding.' },
);

export const RewardFunding: Schema = object(
  {
    balanceCents: like(Cents, "The available funding, in minor units of the wallet's currency.", {
      example: 100000,
    }),
    lowBalanceThresholdCents: like(
      Cents,
      "Your low-balance threshold, in minor units of the wallet's currency. In LIVE, `funding.low` is sent when the available funding falls below it.",
      { example: 50000 },
    ),
    runwayDays: orNull(
      whole(
        'Whole days that the available funding lasts at the average of the last 14 days. Null if nothing was spent in them, and in TEST.',
        { minimum: 0, example: 21 },
      ),
    ),
  },
  { description: 'How long the available funding lasts.' },
);

export const InvoiceId: Schema = text('Identifies the invoice, `inv_…`.', {
  example: 'inv_01K7ZW4P7S9V1Y3B6E8H0K2N5R',
});

export const InvoiceNumber: Schema = text(
  'The number on the invoice, without gaps for each partner.',
  { example: '2026-0001' },
);

export const InvoiceKind: Schema = choice(
  { PERIOD: 'a billing period', PRORATION: 'an upgrade, for the rest of the period' },
  'What the invoice is for',
  { example: 'PERIOD' },
);

export const PaymentStatus: Schema = choice(
  {
    DUE: 'nothing is paid yet',
    PARTIALLY_PAID: 'something is left to pay',
    PAID: 'nothing is left, or the total is zero',
    OVERDUE:
      'something is left to pay after the UTC day of `dueAt`, whether a part was paid or not',
    VOID: 'a credit note takes the invoice back',
  },
  'How much is paid',
  { example: 'DUE' },
);

export const InvoiceLine: Schema = object({
  kind: choice(
    {
      PLAN: 'the price of the plan',
      OVERAGE: 'points beyond the included ones',
      CREDIT: 'points given back to periods that were invoiced before',
      PRORATION: 'the price difference of an upgrade for the rest of the period',
    },
    'What the line is for',
  ),
  description: text('The line in words.', { example: 'Growth, a month' }),
  amountCents: whole(
    "The amount, in minor units of the invoice's currency. Negative for a credit.",
    { example: 24900 },
  ),
});

export const InvoiceIssuer: Schema = object({
  name: text("The issuer's legal name.", { example: 'Rewards Ltd' }),
  address: orNull(text('The address, with line breaks.', { example: '1 Main Street\nDublin' })),
  taxId: orNull(text('The tax number.', { example: 'IE1234567T' })),
  paymentDetails: orNull(
    text('How to pay, with line breaks.', { example: 'IBAN IE29 AIBK 9311 5212 3456 78' }),
  ),
});

export const InvoiceParty: Schema = object({
  name: text("The partner's legal name.", { example: 'Shop Ltd' }),
  address: orNull(
    text('The address, with line breaks and without the country.', {
      example: '5 High Street\nLondon',
    }),
  ),
  country: orNull(
    text('ISO 3166-1 alpha-2, `null` if none was chosen.', {
      pattern: '^[A-Z]{2}$',
      example: 'GB',
    }),
  ),
  taxId: orNull(text('The tax number.', { example: 'GB123456789' })),
});

export const PaymentReference: Schema = text('What the bank transfer has to name.', {
  example: 'PE-7K3QX9F2-1',
});

export const InvoicePayment: Schema = object({
  reference: text("The bank's reference.", { example: 'wire 3' }),
  amountCents: like(Cents, "The amount that arrived, in minor units of the invoice's currency.", {
    minimum: 1,
    example: 24900,
  }),
  paidOn: day('The day at the bank, yyyy-mm-dd.', { example: '2026-02-10' }),
});

export const PaymentReversal: Schema = object({
  reference: text('The reference of the payment.', { example: 'wire 3' }),
  amountCents: like(Cents, "All of the payment, in minor units of the invoice's currency.", {
    minimum: 1,
    example: 24900,
  }),
  reason: text('Why it was reversed.', { example: 'it did not arrive' }),
  reversedAt: like(Timestamp, 'When that was recorded, ISO 8601 in UTC.'),
});

export const CreditNote: Schema = object({
  number: text('The number of the invoice, with a suffix.', { example: '2026-0001-C' }),
  reason: text('Why the invoice was taken back.', { example: 'a mistake' }),
  issuedAt: like(Timestamp, 'When it was issued, ISO 8601 in UTC.'),
});

export const DueAt: Schema = instant(
  'When it is due, ISO 8601 in UTC. It is overdue after that UTC day.',
  { example: '2026-02-15T00:00:00.000Z' },
);

export const Invoice: Schema = object({
  id: InvoiceId,
  number: InvoiceNumber,
  kind: InvoiceKind,
  status: choice({ ISSUED: 'it stands', VOID: 'a credit note takes it back' }, 'Whether it stands'),
  paymentStatus: PaymentStatus,
  currency: like(Currency, 'The currency of its amounts, ISO 4217.'),
  lines: list(InvoiceLine, 'What is invoiced. The amounts add up to the total.'),
  issuer: likeOrNull(
    InvoiceIssuer,
    'The issuer as configured when the invoice was issued. Null if none was configured.',
  ),
  billedTo: likeOrNull(
    InvoiceParty,
    'The partner as it was when the invoice was issued. Null if that was not recorded.',
  ),
  totalCents: like(Cents, 'The total of its lines, in minor units of `currency`.', {
    example: 24900,
  }),
  paymentReference: PaymentReference,
  payments: list(
    InvoicePayment,
    'The payments that arrived, in the order in which they were recorded.',
  ),
  reversals: list(PaymentReversal, 'Recorded payments that did not arrive after all.'),
  paidCents: like(
    Cents,
    'The sum of the payments without those reversed, in minor units of `currency`.',
    { example: 24900 },
  ),
  creditNote: likeOrNull(
    CreditNote,
    'Takes the whole invoice back. Null unless its status is `VOID`.',
  ),
  periodStart: like(Timestamp, 'The first moment of the time that it is for, ISO 8601 in UTC.', {
    example: '2026-01-01T00:00:00.000Z',
  }),
  periodEnd: like(Timestamp, 'The first moment after it, ISO 8601 in UTC.', {
    example: '2026-02-01T00:00:00.000Z',
  }),
  issuedAt: like(Timestamp, 'When it was issued, ISO 8601 in UTC.', {
    example: '2026-02-01T00:05:00.000Z',
  }),
  dueAt: DueAt,
});

export const BillingResponse: Schema = object({
  success: Success,
  mode: Mode,
  subscription: likeOrNull(
    SubscriptionSummary,
    'Your subscription, the same in both modes; null without one.',
  ),
  planVersion: likeOrNull(PlanVersion, 'The plan version of the subscription; null without one.'),
  wallet: WalletSnapshot,
  rewardFunding: RewardFunding,
  invoices: list(Invoice, 'The 12 newest invoices, newest first; the same in both modes.'),
});

export const account = section(
  'Partner account',
  'Read your plan, usage, billing, rewards and orders, and compare orders, in signed requests.',
  [
    get('/api/v1/partner/plans', {
      id: 'listPlans',
      summary: 'List the published plan versions',
      description:
        'Returns the published plan versions, of each plan the newest first. A change shows within seconds. Requires the scope `events:read`.',
      by: 'partner',
      gives: { 200: ['The published plan versions.', PlansResponse] },
      errors: { 400: refused.UnexpectedQuery },
    }),
    get('/api/v1/partner/usage', {
      id: 'getUsage',
      summary: 'Retrieve usage of the current billing period',
      description:
        "Returns the points used in the current billing period, a projection to its end, a recommendation, and the 20 newest events of the key's mode. TEST is not metered: its usage is 0. A change of plan shows within seconds. Requires the scope `events:read`.",
      by: 'partner',
      gives: { 200: ['The usage of the current period.', UsageResponse] },
      errors: { 400: refused.UnexpectedQuery },
    }),
    get('/api/v1/partner/billing', {
      id: 'getBilling',
      summary: 'Retrieve the subscription, wallet and invoices',
      description:
        "Returns the subscription and the newest invoices, which are the same in both modes, and the wallet of the key's mode. Requires the scope `events:read`.",
      by: 'partner',
      gives: { 200: ["The partner's billing.", BillingResponse] },
      errors: { 400: refused.UnexpectedQuery },
    }),
    get('/api/v1/partner/rewards/{rewardId}', {
      id: 'getPartnerReward',
      summary: 'Retrieve a reward',
      description:
        'Returns a reward by the `reward.id` in the response to its purchase, as soon as the purchase is recorded. An id of the other mode or of another partner returns `NOT_FOUND`. Requires the scope `events:read`.',
      by: 'partner',
      parameters: [at.RewardId],
      gives: { 200: ['The reward.', RewardResponse] },
      errors: { 400: refused.UnexpectedQuery, 404: refused.NotFound },
    }),
    get('/api/v1/partner/rewards/{rewardId}/receipt', {
      id: 'getReceipt',
      summary: 'Retrieve the receipt of a reward',
      description:
        "Returns a proof of a LIVE reward's entries in the ledger, which anybody can check with the service's [public keys](#getSigningKeys) and without trusting the service: the entries, and proofs (RFC 6962) that they are in a log whose head is signed once a day. It contains no contact and no balance, and stays valid when the customer is erased. `partner-events verify FILE --key KEYS` checks it offline. Until the day's head is signed, and in TEST, it returns `NOT_FOUND`. Requires the scope `events:read`.",
      by: 'partner',
      parameters: [at.RewardId],
      gives: { 200: ['The receipt.', ReceiptResponse] },
      errors: { 400: refused.UnexpectedQuery, 404: refused.NotFound },
    }),
    get('/.well-known/jwks.json', {
      id: 'getSigningKeys',
      summary: 'Retrieve the public keys of receipts',
      description:
        'Returns every key that ever signed a tree head, the newest first, as a JWK set (RFC 7517) of Ed25519 keys (RFC 8037). The request is not signed. Keep the keys: those from before a dispute prove most.',
      by: 'anyone',
      gives: {
        200: [
          'The keys.',
          object({ keys: list(SigningKey, 'The keys, the newest first.', { maxItems: 1000 }) }),
        ],
      },
    }),
    get('/api/v1/partner/orders', {
      id: 'listPartnerOrders',
      summary: 'List orders',
      description:
        "Returns the orders that the key's integration reported in the key's mode, the newest change first: a change is one of the order's reward, such as a refund or a claim. Poll with `changedSince`, a minute before the newest `updatedAt` that you know. What changes while you page is at the beginning of the next list. An order is listed once its purchase has begun, usually within a second. The query is not signed. Requires the scope `events:read`.",
      by: 'partner',
      parameters: [
        at.Limit,
        at.Cursor,
        at.ChangedSince,
        at.ReceivedFrom,
        at.ReceivedTo,
        at.PartnerRewardStatusFilter,
      ],
      gives: { 200: ['One page of orders.', OrderList] },
      errors: { 400: refused.BadQuery },
    }),
    post('/api/v1/partner/orders/search', {
      id: 'searchPartnerOrders',
      summary: 'List the orders of a customer',
      description:
        "Returns the orders of one customer that the key's integration reported in the key's mode, the newest order first. It is a POST, because an email address must not be in a URL, and takes no `Idempotency-Key`. A stranger has none. Requires the scope `events:read`, and `customers:read`.",
      by: 'partner',
      body: OrderSearch,
      gives: { 200: ['One page of orders.', OrderList] },
      errors: { 400: refused.BadQuestion },
    }),
    get('/api/v1/partner/orders/{externalOrderId}', {
      id: 'getPartnerOrder',
      summary: 'Retrieve an order',
      description:
        "Returns an order by your own id, with what of it was refunded and what is left, its reward and the points that paid for it, if the key's integration reported its purchase in the key's mode. Requires the scope `events:read`.",
      by: 'partner',
      parameters: [
        inPath(
          'externalOrderId',
          'Your id of the order, percent-encoded as one segment of the path. Sign the path as you send it.',
          ExternalId,
        ),
      ],
      gives: { 200: ['The order.', OrderResponse] },
      errors: { 400: refused.UnexpectedQuery, 404: refused.NotFound },
    }),
    post('/api/v1/partner/reconciliations', {
      id: 'createReconciliation',
      summary: 'Compare a list of orders',
      description:
        "Starts an order comparison: of your own list of orders and refunds with what the key's integration reported in the\nkey's mode. It changes nothing. Send the list of a day every night, and repair what it finds. It takes no\n`Idempotency-Key`: the same list again, while it is being compared, is the same order comparison. Requires the scope\n`events:read`.\n\nThe list is CSV with a header, or JSON lines, in UTF-8 and up to 5 MiB. Fields that are not listed here are\nignored and not stored. An empty field is not compared.\n\n| field | value |\n| --- | --- |\n| `externalOrderId` | your id of the order, exactly as you report it; required |\n| `subtotalCents` or `subtotal` | the order's subtotal, 4990 or 49.90; required for an order |\n| `currency` | three letters; when absent, amounts are in the currency of your funding |\n| `occurredAt` | ISO 8601 with a timezone offset |\n| `refunded` | for an order: true or false, or a status such as `paid` or `refunded`; unknown ones are counted in `unknownStatuses` |\n| `refundedCents` or `refundedAmount` | for an order: how much of it was refunded, 1200 or 12.00 |\n| `externalRefundId` | makes the row a refund |\n| `amountCents` | for a refund: how much was refunded, if not all that was left |\n\nA line of JSON can have the shape of the request that reports it. If every row has `occurredAt` and the list covers\nat most 366 days, orders and refunds that you reported for that time and that are not in the list are differences,\ntoo. A list with wrong rows is refused, and the message names up to 20 of them. A partner has one comparison at a\ntime; meanwhile, other lists get `RATE_LIMITED`.\n\nA list without orders says that nothing happened; `from` and `to` say when. They are the exception to unsigned\nqueries, since they only choose which of your own orders are looked for in the list.\n",
      by: 'partner',
      parameters: [
        inQuery(
          'from',
          'When the orders of the list happened at the earliest: a day (UTC), or a time with its offset. Given with `to`, it replaces what the rows say.',
          text(undefined, { example: '2026-01-31' }),
        ),
        inQuery(
          'to',
          'When they happened at the latest, inclusive.',
          text(undefined, { example: '2026-01-31' }),
        ),
      ],
      bodies: {
        'text/csv': {
          schema: text(undefined, { minLength: 1 }),
          example:
            'externalOrderId,subtotal,currency,occurredAt,refunded,externalRefundId\nORDER-1001,49.90,USD,2026-01-31T09:30:00+01:00,no,\nORDER-1002,120.00,USD,2026-01-31T10:12:45+01:00,no,\nORDER-1002,20.00,USD,2026-01-31T17:40:02+01:00,,R-77\n',
        },
        'application/x-ndjson': {
          schema: text(undefined, { minLength: 1 }),
          example:
            '{"externalOrderId":"ORDER-1001","order":{"subtotalCents":4990},"occurredAt":"2026-01-31T09:30:00+01:00"}\n{"externalOrderId":"ORDER-1002","externalRefundId":"R-77","amountCents":2000}\n',
        },
        'application/jsonl': { schema: text(undefined, { minLength: 1 }) },
      },
      gives: {
        202: [
          'The list is being compared. Read the result by its id, or wait for the webhook `reconciliation.completed`.',
          ReconciliationResponse,
          {
            Reconciliation: {
              operationId: 'getReconciliation',
              parameters: { reconciliationId: '$response.body#/reconciliation/id' },
            },
          },
        ],
      },
      errors: { 400: refused.BadList, 415: refused.NotList },
    }),
    get('/api/v1/partner/reconciliations/{reconciliationId}', {
      id: 'getReconciliation',
      summary: 'Retrieve an order comparison',
      description:
        'Returns the counts and the first 500 differences of an order comparison, each with the request that repairs it. A repair is a suggestion: read what differs before you send it. An order comparison is kept for a month. Requires the scope `events:read`.',
      by: 'partner',
      parameters: [
        inPath(
          'reconciliationId',
          'The id of the order comparison, `job_…`.',
          text(undefined, { example: 'job_01K7ZT1D4G7J0M3P6R9T2V5X8B' }),
        ),
      ],
      gives: { 200: ['The order comparison.', ReconciliationResponse] },
      errors: { 400: refused.UnexpectedQuery, 404: refused.NotFound },
    }),
    get('/api/v1/partner/reconciliations/{reconciliationId}/pages/{page}', {
      id: 'getReconciliationPage',
      summary: 'Retrieve further differences',
      description:
        'Returns a page of up to 500 differences of a completed order comparison, whose `pages` is the number of pages. Requires the scope `events:read`.',
      by: 'partner',
      parameters: [
        inPath(
          'reconciliationId',
          'The id of the order comparison, `job_…`.',
          text(undefined, { example: 'job_01K7ZT1D4G7J0M3P6R9T2V5X8B' }),
        ),
        inPath(
          'page',
          'The number of the page, from 1.',
          whole(undefined, { minimum: 1, maximum: 9999, example: 2 }),
        ),
      ],
      gives: { 200: ['A page of differences.', ReconciliationPage] },
      errors: { 400: refused.UnexpectedQuery, 404: refused.NotFound },
    }),
  ],
);
