import type { Mode } from '../domain/mode.ts';
import type { WebhookEventType as EventName } from '../domain/webhooks.ts';
import {
  DueAt,
  InvoiceId,
  InvoiceKind,
  InvoiceNumber,
  PaymentReference,
  PaymentStatus,
} from './account.ts';
import { get, patch, post, remove, section } from './operations.ts';
import * as at from './parameters.ts';
import {
  CredentialId,
  IntegrationId,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointUpdate,
  WebhookResend,
  WebhookSecret,
} from './programs.ts';
import * as refused from './responses.ts';
import {
  choice,
  extended,
  flag,
  instant,
  like,
  list,
  object,
  open,
  orNull,
  type Schema,
  text,
  whole,
} from './shapes.ts';
import {
  Cents,
  ClaimableFrom,
  Currency,
  CustomerStatus,
  EventId,
  Points,
  Proposed,
  page,
  RewardId,
  RewardStatus,
  Timestamp,
} from './shared.ts';

export const Scope: Schema = choice(
  {
    'events:write': 'report purchases and refunds, and start a rehearsal',
    'events:read': 'read your account, rewards, orders, quotes, order comparisons and rehearsals',
    'customers:read': "read customers' balances",
    'redemptions:write': 'redeem, hold, capture, release and reverse points',
  },
  'What the API key allows',
  { example: 'events:write' },
);

export const ServiceAccountScope: Schema = choice(
  {
    'log:read': 'the request log',
    'rewards:read': 'rewards with their state, points, cost and customer id',
  },
  'What can be read',
  { example: 'rewards:read' },
);

export const ServiceAccountScopes: Schema = list(
  ServiceAccountScope,
  'What the service account can read.',
  { minItems: 1, uniqueItems: true },
);

export const RewardEventData: Schema = open(
  {
    rewardId: RewardId,
    externalOrderId: text('Your id of its order.', { example: 'order-1' }),
    purchaseEventId: like(EventId, 'The event of its purchase, `evt_…`.'),
    integrationId: IntegrationId,
    status: RewardStatus,
    customerStatus: CustomerStatus,
    points: like(
      Points,
      'Its points, after partial refunds. A cancelled or expired reward still shows what it had.',
    ),
    liabilityCents: like(Cents, 'What the points cost you, in minor units of `currency`.', {
      example: 499,
    }),
    currency: like(Currency, 'The currency of the amounts, ISO 4217.'),
  },
  { description: 'The reward after the change.' },
);

/** Of points that end: the customer, by the newest order, and what ends. */
const EndingPoints = {
  rewardId: like(RewardId, "The customer's newest reward, by which you know the customer."),
  externalOrderId: text('Your id of its order.', { example: 'order-1' }),
  integrationId: IntegrationId,
  customerId: text('Identifies the customer without revealing the contact, `cus_…`.', {
    example: 'cus_01K7',
  }),
  points: like(Points, 'The points that end.', { example: 499 }),
  liabilityCents: like(Cents, 'What they cost, which goes back to your funding, in minor units.', {
    example: 499,
  }),
};

export const ReviewId: Schema = text('Identifies the review, `rev_…`.', {
  example: 'rev_01K7ZV6M9P1S4V7X0A3D5G8J2L',
});

export const AvailableCents: Schema = whole(
  'The available funding afterwards, in minor units of its currency.',
  { example: 4200 },
);

export const FundingLevelData: Schema = open(
  {
    balanceCents: AvailableCents,
    thresholdCents: like(
      Cents,
      'Your low-balance threshold, in minor units of the currency of your funding.',
      { example: 5000 },
    ),
    runwayDays: orNull(
      whole(
        'Whole days that the available funding lasts at the average of the last 14 days. Null if nothing was spent in them.',
        { example: 3 },
      ),
    ),
  },
  { description: 'The available funding after the change.' },
);

export const TransactionId: Schema = text('Identifies the entry in the ledger, `txn_…`.', {
  example: 'txn_01K7ZX8R1T4W6Y9B2D5F7H0K3M',
});

export const InvoiceEventData: Schema = open(
  {
    invoiceId: InvoiceId,
    number: InvoiceNumber,
    currency: like(Currency, 'The currency of the amounts, ISO 4217.'),
    totalCents: like(Cents, 'The total, in minor units of `currency`.', { example: 1000 }),
    paidCents: like(
      Cents,
      'The sum of its payments without those reversed, in minor units of `currency`.',
      { example: 400 },
    ),
    leftCents: like(Cents, 'What is left to pay, in minor units of `currency`.', { example: 600 }),
    dueAt: DueAt,
  },
  { description: 'The invoice after the change.' },
);

export const CredentialEventData: Schema = open(
  {
    credentialId: CredentialId,
    integrationId: IntegrationId,
    scopes: list(Scope, 'What the API key allows.'),
  },
  { description: 'The API key.' },
);

export const webhooks = section(
  'Webhooks',
  'Events that are sent to your endpoints, and the endpoints.',
  [
    get('/admin/v1/partners/{partnerId}/webhook-endpoints', {
      id: 'listWebhookEndpoints',
      summary: 'List a partner’s webhook endpoints',
      by: 'operator',
      parameters: [at.PartnerId, at.Limit, at.Cursor],
      gives: { 200: ['The endpoints.', page(WebhookEndpoint)] },
      errors: { 400: refused.InvalidInput, 404: refused.NotFound },
    }),
    post('/admin/v1/partners/{partnerId}/webhook-endpoints', {
      id: 'createWebhookEndpoint',
      summary: 'Create a webhook endpoint',
      description:
        'A partner can have ten endpoints per mode; in LIVE, it takes two operators, and an owner is shown the secret. The URL must be HTTPS and lead to a public address; in TEST, where the service allows it, it can also lead to the same machine.',
      by: 'operator',
      parameters: [at.PartnerId],
      body: WebhookEndpointCreate,
      gives: {
        201: [
          'The endpoint is created.',
          object({ endpoint: like(WebhookEndpoint, 'The endpoint.'), secret: WebhookSecret }),
        ],
        202: ['Another operator has to approve it first.', Proposed],
      },
      errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
    }),
    get('/admin/v1/partners/{partnerId}/webhook-endpoints/{endpointId}', {
      id: 'getWebhookEndpoint',
      summary: 'Retrieve a webhook endpoint',
      by: 'operator',
      parameters: [at.PartnerId, at.EndpointId],
      gives: {
        200: ['The endpoint.', object({ endpoint: like(WebhookEndpoint, 'The endpoint.') })],
      },
      errors: { 404: refused.NotFound },
    }),
    patch('/admin/v1/partners/{partnerId}/webhook-endpoints/{endpointId}', {
      id: 'updateWebhookEndpoint',
      summary: 'Update, pause or resume a webhook endpoint',
      description:
        'A paused endpoint receives its events once it is resumed. `ACTIVE` also enables a disabled endpoint.',
      by: 'operator',
      parameters: [at.PartnerId, at.EndpointId],
      body: WebhookEndpointUpdate,
      gives: {
        200: [
          'The updated endpoint.',
          object({ endpoint: like(WebhookEndpoint, 'The endpoint.') }),
        ],
        202: ['Another operator has to approve it first.', Proposed],
      },
      errors: { 400: refused.InvalidInput, 404: refused.NotFound },
    }),
    remove('/admin/v1/partners/{partnerId}/webhook-endpoints/{endpointId}', {
      id: 'deleteWebhookEndpoint',
      summary: 'Delete a webhook endpoint',
      description: 'Also deletes the deliveries that are still pending.',
      by: 'operator',
      parameters: [at.PartnerId, at.EndpointId],
      gives: {
        200: [
          'The endpoint is deleted.',
          object({ endpoint: like(WebhookEndpoint, 'The endpoint.') }),
        ],
        202: ['Another operator has to approve it first.', Proposed],
      },
      errors: { 404: refused.NotFound },
    }),
    post('/admin/v1/partners/{partnerId}/webhook-endpoints/{endpointId}/secrets', {
      id: 'rotateWebhookSecret',
      summary: 'Rotate a webhook signing secret',
      description:
        'The previous secret remains valid beside the new one for a day. In LIVE, it takes two operators, and an owner of the partner is shown the new secret.',
      by: 'operator',
      parameters: [at.PartnerId, at.EndpointId],
      gives: {
        201: [
          'The new secret.',
          object({ endpoint: like(WebhookEndpoint, 'The endpoint.'), secret: WebhookSecret }),
        ],
        202: ['Another operator has to approve it first.', Proposed],
      },
      errors: { 404: refused.NotFound },
    }),
    post('/admin/v1/partners/{partnerId}/webhook-endpoints/{endpointId}/test', {
      id: 'testWebhookEndpoint',
      summary: 'Send a test webhook',
      by: 'operator',
      parameters: [at.PartnerId, at.EndpointId],
      gives: {
        202: [
          'A `test.ping` is pending.',
          object({ delivery: like(WebhookDelivery, 'The delivery.') }),
        ],
      },
      errors: { 404: refused.NotFound },
    }),
    get('/admin/v1/partners/{partnerId}/webhook-endpoints/{endpointId}/deliveries', {
      id: 'listWebhookDeliveries',
      summary: 'List webhook deliveries',
      description: 'Returns the deliveries of the last 30 days, newest first.',
      by: 'operator',
      parameters: [
        at.PartnerId,
        at.EndpointId,
        at.Limit,
        at.Cursor,
        at.DeliveryState,
        at.WebhookType,
      ],
      gives: { 200: ['One page of deliveries.', page(WebhookDelivery)] },
      errors: { 400: refused.InvalidInput, 404: refused.NotFound },
    }),
    post('/admin/v1/partners/{partnerId}/webhook-endpoints/{endpointId}/resend', {
      id: 'resendWebhooks',
      summary: 'Resend the webhooks of a time range',
      description:
        'Use it after an outage. Resends up to 10,000 webhooks, oldest first, each with its original id and body. If there are more, pass `next` as the `from` of the next request.',
      by: 'operator',
      parameters: [at.PartnerId, at.EndpointId],
      body: WebhookResend,
      gives: {
        202: [
          'How many webhooks are pending.',
          object({
            resent: whole('How many webhooks are pending.', { minimum: 0, maximum: 10000 }),
            next: orNull(
              instant('From when on there are more, ISO 8601 in UTC; null if there are none.'),
            ),
          }),
        ],
      },
      errors: { 400: refused.InvalidInput, 404: refused.NotFound },
    }),
    post(
      '/admin/v1/partners/{partnerId}/webhook-endpoints/{endpointId}/deliveries/{deliveryId}/resend',
      {
        id: 'resendWebhook',
        summary: 'Resend a webhook',
        description: 'Sends it with its original id and body.',
        by: 'operator',
        parameters: [at.PartnerId, at.EndpointId, at.DeliveryId],
        gives: {
          202: [
            'The delivery is pending.',
            object({ delivery: like(WebhookDelivery, 'The delivery.') }),
          ],
        },
        errors: { 404: refused.NotFound },
      },
    ),
  ],
);

/** A webhook: when it is sent, and what it says besides what all of them do. */
export interface Event {
  type: EventName;
  description: string;
  data: Schema;
  /** Of the example; its data is in `webhookExamples`. */
  example: { mode: Mode; sequence: number | null };
}

/** What is sent to partners’ endpoints. */
export const webhookEvents: readonly Event[] = [
  {
    type: 'reward.funded',
    description:
      'The reward is funded, and the customer can claim it until `claimExpiresAt`; on hold, from `claimableFrom` on.',
    data: extended(RewardEventData, {
      claimExpiresAt: like(Timestamp, 'The end of the claim window, ISO 8601 in UTC.'),
      claimableFrom: ClaimableFrom,
    }),
    example: { mode: 'TEST', sequence: 1 },
  },
  {
    type: 'reward.awaiting_funding',
    description:
      'The available funding does not cover the reward, or a reward of an earlier purchase waits for it. It is funded in its turn once money arrives.',
    data: RewardEventData,
    example: { mode: 'TEST', sequence: 1 },
  },
  {
    type: 'reward.claimable',
    description:
      'The hold of the funded reward is over, or was ended early, and the customer can claim it until `claimExpiresAt`.',
    data: extended(RewardEventData, {
      claimExpiresAt: like(Timestamp, 'The end of the claim window, ISO 8601 in UTC.'),
      claimableFrom: ClaimableFrom,
    }),
    example: { mode: 'TEST', sequence: 1 },
  },
  {
    type: 'reward.claimed',
    description: 'The customer claimed the reward.',
    data: RewardEventData,
    example: { mode: 'TEST', sequence: 1 },
  },
  {
    type: 'reward.expired',
    description: 'The claim window ended before the customer claimed.',
    data: RewardEventData,
    example: { mode: 'TEST', sequence: 1 },
  },
  {
    type: 'reward.reduced',
    description: 'Part of the order was refunded, and the reward has the points of what remains.',
    data: extended(RewardEventData, {
      reducedBy: choice(
        {
          REFUND: 'a partial refund, before the customer claimed it',
          REVIEW: 'the decision of a review, after that',
        },
        'What reduced it',
      ),
      lostPoints: like(Points, 'How many points it lost by this.', { example: 120 }),
      refundedCents: like(
        Cents,
        'How much of the order was refunded in all, in minor units of `currency`.',
        { example: 1200 },
      ),
    }),
    example: { mode: 'TEST', sequence: 1 },
  },
  {
    type: 'reward.cancelled',
    description: 'The reward was cancelled by a refund, an operator or the decision of a review.',
    data: extended(RewardEventData, {
      cancelledBy: choice(
        {
          REFUND: 'a refund, before the customer claimed it',
          OPERATOR: 'an operator',
          REVIEW: 'the decision of a review',
        },
        'What cancelled it',
      ),
    }),
    example: { mode: 'TEST', sequence: 1 },
  },
  {
    type: 'review.opened',
    description: 'The order of a claimed reward was refunded, and an operator decides.',
    data: extended(RewardEventData, {
      reviewId: ReviewId,
      amountCents: like(
        Cents,
        'How much of the order is under review, in minor units of `currency`.',
        { example: 1200 },
      ),
    }),
    example: { mode: 'TEST', sequence: 1 },
  },
  {
    type: 'review.asked',
    description:
      'An operator has a question about a refund under review. Read and answer it in the portal.',
    data: open(
      {
        reviewId: ReviewId,
        rewardId: RewardId,
        externalOrderId: text('Your id of the order.', { example: 'order-1' }),
      },
      { description: 'The review with the question.' },
    ),
    example: { mode: 'TEST', sequence: null },
  },
  {
    type: 'review.decided',
    description:
      'A review was decided. If it was upheld, `reward.cancelled` or `reward.reduced` follows with the same sequence.',
    data: extended(RewardEventData, {
      reviewId: ReviewId,
      verdict: choice(
        {
          UPHOLD: 'the refund cancels or reduces the reward',
          DISMISS: 'the customer keeps the reward',
        },
        'The decision',
      ),
    }),
    example: { mode: 'TEST', sequence: 1 },
  },
  {
    type: 'funding.low',
    description: 'The available funding fell below your low-balance threshold. LIVE only.',
    data: FundingLevelData,
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'funding.topped_up',
    description: 'A top-up arrived, or in TEST test funding was added.',
    data: open(
      {
        transactionId: TransactionId,
        amountCents: like(
          Cents,
          'What was added, in minor units of the currency of your funding.',
          { example: 10000 },
        ),
        balanceCents: AvailableCents,
      },
      { description: 'The top-up.' },
    ),
    example: { mode: 'TEST', sequence: null },
  },
  {
    type: 'funding.withdrawn',
    description: 'Unused funding was paid back to the partner. LIVE only.',
    data: open(
      {
        transactionId: TransactionId,
        amountCents: like(
          Cents,
          'What was paid back to you, in minor units of the currency of your funding.',
          { example: 4200 },
        ),
        balanceCents: AvailableCents,
      },
      { description: 'The withdrawal.' },
    ),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'funding.corrected',
    description:
      'A top-up was recorded by mistake, and all of it or a part was taken back. LIVE only.',
    data: open(
      {
        transactionId: TransactionId,
        correctedTransactionId: like(TransactionId, 'The entry of the mistaken top-up, `txn_…`.'),
        amountCents: like(
          Cents,
          'What was taken back, in minor units of the currency of your funding.',
          { example: 10000 },
        ),
        balanceCents: AvailableCents,
      },
      { description: 'The correction.' },
    ),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'funding.recovered',
    description:
      'The available funding is at or above your low-balance threshold again. LIVE only.',
    data: FundingLevelData,
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'usage.threshold',
    description:
      '80 or 100 % of the points that your plan includes in the billing period are used. LIVE only.',
    data: open(
      {
        percent: {
          type: 'integer',
          enum: [80, 100],
          description: 'The share of the included points that is used, in percent: `80` or `100`.',
        },
        usedPoints: like(Points, 'The points used in the period.', { example: 801 }),
        includedPoints: like(Points, 'The points that your plan includes in the period.', {
          example: 1000,
        }),
        subscriptionId: text('Identifies the subscription, `sub_…`.', {
          example: 'sub_01K7ZNC3F6J8M0Q2T4W7Z9D1G5',
        }),
        periodStart: like(Timestamp, 'The first moment of the period, ISO 8601 in UTC.', {
          example: '2026-03-01T00:00:00.000Z',
        }),
      },
      { description: 'The usage of the billing period.' },
    ),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'budget.threshold',
    description: "80 or 100 % of the points of a rule's budget are used, in all or in a month.",
    data: open(
      {
        budget: text('The name of the budget, which rules can share.', { example: 'Spring' }),
        of: choice(
          ['TOTAL', 'MONTH'],
          '`TOTAL` for the points in all; `MONTH` for those of a calendar month.',
        ),
        month: orNull(
          text('The month, `yyyy-mm`, in your time zone. Null for the points in all.', {
            pattern: '^\\d{4}-\\d{2}$',
            example: '2026-03',
          }),
        ),
        percent: {
          type: 'integer',
          enum: [80, 100],
          description: 'The share of the points that is used, in percent: `80` or `100`.',
        },
        usedPoints: like(Points, 'The points used.', { example: 8010 }),
        limitPoints: like(Points, 'The points that the budget has.', { example: 10000 }),
        ruleId: text('The version of the rule, `rul_…`.', { example: 'rul_01K7' }),
      },
      { description: 'The limit of the budget, and what is used of it.' },
    ),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'points.ending',
    description:
      'Points of a customer end in 30 days, or in 7, unless the customer claims or spends points before then. The service tells the customer, too, unless you deliver the claim links.',
    data: open(
      {
        ...EndingPoints,
        endsAt: like(Timestamp, 'When they end, ISO 8601 in UTC.', {
          example: '2026-04-01T00:00:00.000Z',
        }),
        days: {
          type: 'integer',
          enum: [30, 7],
          description: 'The notice: how many days before the end at the latest, `30` or `7`.',
        },
      },
      { description: 'The points that end, and when.' },
    ),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'points.ended',
    description:
      'Points of a customer ended after a time without activity, and their money went back to your funding.',
    data: open(
      {
        ...EndingPoints,
        endedAt: like(Timestamp, 'When they ended, ISO 8601 in UTC.', {
          example: '2026-04-01T00:00:00.000Z',
        }),
        leftPoints: like(Points, 'The points that the customer has left.', { example: 0 }),
      },
      { description: 'The points that ended.' },
    ),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'invoice.issued',
    description: 'An invoice was issued. LIVE only.',
    data: open(
      {
        invoiceId: InvoiceId,
        number: InvoiceNumber,
        kind: InvoiceKind,
        totalCents: like(Cents, 'The total, in minor units of `currency`.', { example: 1000 }),
        currency: Currency,
        periodStart: like(
          Timestamp,
          'The first moment of the time that it is for, ISO 8601 in UTC.',
        ),
        periodEnd: like(Timestamp, 'The first moment after it, ISO 8601 in UTC.'),
        dueAt: DueAt,
        paymentReference: PaymentReference,
      },
      { description: 'The invoice.' },
    ),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'invoice.payment_recorded',
    description: 'A payment of an invoice, or of a part of it, arrived. LIVE only.',
    data: extended(InvoiceEventData, {
      amountCents: like(Cents, 'This payment, in minor units of `currency`.', { example: 400 }),
      paymentStatus: PaymentStatus,
    }),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'invoice.payment_reversed',
    description: 'A recorded payment did not arrive, and is due again. LIVE only.',
    data: extended(InvoiceEventData, {
      amountCents: like(Cents, 'The payment that did not arrive, in minor units of `currency`.', {
        example: 400,
      }),
      paymentStatus: PaymentStatus,
    }),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'invoice.overdue',
    description:
      'A reminder: something is left to pay after the due date. Sent on the day after it, 7 and 21 days later. LIVE only.',
    data: extended(InvoiceEventData, {
      paymentReference: PaymentReference,
      reminder: whole('The number of this reminder of the invoice, from 1.', {
        minimum: 1,
        example: 1,
      }),
      isLastReminder: flag('Whether no other follows.', { example: false }),
    }),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'invoice.voided',
    description: 'An invoice was taken back by a credit note. LIVE only.',
    data: extended(InvoiceEventData, {
      creditNoteNumber: text('The number of the credit note.', { example: '2026-0001-C' }),
    }),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'go_live.approved',
    description: 'Your go-live request was approved. Sent to endpoints of both modes.',
    data: { type: 'object', description: 'Empty.' },
    example: { mode: 'TEST', sequence: null },
  },
  {
    type: 'go_live.returned',
    description:
      'Your go-live request was returned with changes requested. Sent to endpoints of both modes.',
    data: open(
      {
        reason: orNull(
          text('The changes that the operator requests.', {
            example: 'The website is not reachable.',
          }),
        ),
      },
      { description: 'The requested changes.' },
    ),
    example: { mode: 'TEST', sequence: null },
  },
  {
    type: 'credential.created',
    description: 'An API key was created.',
    data: CredentialEventData,
    example: { mode: 'TEST', sequence: null },
  },
  {
    type: 'credential.revoked',
    description: 'An API key was revoked.',
    data: CredentialEventData,
    example: { mode: 'TEST', sequence: null },
  },
  {
    type: 'credential.expiring',
    description:
      'A signing secret of a LIVE API key expires in four weeks, or in one. Rotate it: requests that it signs are refused once it has expired.',
    data: extended(CredentialEventData, {
      secretId: text('Identifies the signing secret, `sec_…`.', {
        example: 'sec_01K7ZQ5H8K1N3Q6S9V2X4Z7B0D',
      }),
      expiresAt: like(
        Timestamp,
        'When requests that it signs start to be refused, ISO 8601 in UTC.',
      ),
    }),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'service_account.changed',
    description: 'A service account was created or revoked, or its token was rotated.',
    data: open(
      {
        serviceAccountId: text('Identifies the service account, `sva_…`.', {
          example: 'sva_01K7ZY2T5V8X0B3D6F9H1K4M7P',
        }),
        change: choice(
          {
            CREATED: 'it was created',
            ROTATED: 'it has a new token; the previous one works for another day',
            REVOKED: 'it was revoked',
          },
          'What changed',
        ),
        scopes: ServiceAccountScopes,
      },
      { description: 'The service account.' },
    ),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'reconciliation.completed',
    description:
      'An order comparison is done or failed. [Read it](#getReconciliation) for the differences.',
    data: open(
      {
        reconciliationId: text('Identifies the order comparison, `job_…`.', {
          example: 'job_01K7ZT1D4G7J0M3P6R9T2V5X8B',
        }),
        integrationId: IntegrationId,
        status: choice(
          {
            DONE: 'the result is complete',
            FAILED: 'it could not be completed; send the list again',
          },
          'How it ended',
        ),
        rows: whole('Rows of the list.', { example: 120 }),
        matched: orNull(whole('Rows without a difference.', { example: 118 })),
        missing: orNull(whole('Rows that were never reported.', { example: 1 })),
        notInFile: orNull(
          whole('Orders and refunds that were reported and are not in the list.', { example: 0 }),
        ),
        duplicate: orNull(
          whole('Rows whose order or refund is in an earlier row.', { example: 0 }),
        ),
        mismatched: orNull(whole('Rows that were reported with other values.', { example: 1 })),
      },
      { description: 'The order comparison. Its counts are null if it failed.' },
    ),
    example: { mode: 'LIVE', sequence: null },
  },
  {
    type: 'test.ping',
    description: 'You tested the endpoint in the portal or by the API.',
    data: open(
      {
        endpointId: text('Identifies the endpoint, `whe_…`.', {
          example: 'whe_01K7ZZ3V6X9B1D4F7H0K2M5P8R',
        }),
      },
      { description: 'The endpoint that you test.' },
    ),
    example: { mode: 'TEST', sequence: null },
  },
];
