import {
  choice,
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

export const Mode: Schema = choice(
  ['TEST', 'LIVE'],
  'Which of two separate environments it belongs to. The key or token decides.\n\n- `TEST`: for development. No real money moves, and customers have separate balances.\n- `LIVE`: real rewards, which your funding pays for.\n',
);

export const Success: Schema = flag('Always true. A refused request has `error` instead.', {
  const: true,
});

export const Timestamp: Schema = instant('ISO 8601 in UTC, to the millisecond.', {
  example: '2026-01-31T08:30:00.000Z',
});

export const Cents: Schema = whole(
  'An amount in minor units of its currency: 4990 is 49.90 USD, 4,990 JPY and 4.990 KWD.',
  { minimum: 0, example: 4990 },
);

export const Points: Schema = whole('A number of points.', { minimum: 0, example: 499 });

export const Currency: Schema = text("The currency's code of ISO 4217.", {
  pattern: '^[A-Z]{3}$',
  example: 'USD',
});

export const EventId: Schema = text('Identifies the recorded event, `evt_…`.', {
  example: 'evt_01K7ZQ8Y5N3T6W9X2V4B8D1F7H',
});

export const RewardId: Schema = text('Identifies the reward, `PNR_…`.', {
  pattern: '^PNR_',
  example: 'PNR_01K7ZQ8Y5P9C4R7M2E6J3S5A8K',
});

export const RewardStatus: Schema = choice(
  {
    PENDING: 'waits for the customer to claim it',
    AWAITING_FUNDING:
      'your available funding does not cover it yet, or a reward of an earlier purchase waits; rewards are funded in the order of their purchases',
    AVAILABLE: 'claimed; the customer has the points',
    EXPIRED: 'the claim window ended before the customer claimed it',
    CANCELLED: 'cancelled by a refund, an operator or the decision of a review',
    ADMIN_REVIEW: 'refunded after it was claimed; an operator decides',
  },
  'The state of the reward',
  { example: 'PENDING' },
);

export const CustomerStatus: Schema = choice(
  {
    AWAITING_CUSTOMER_CLAIM: 'not claimed yet, whether funded or not',
    CLAIMED: 'claimed, also while a refund of it is under review',
    CLAIM_EXPIRED: 'can no longer be claimed',
    CANCELLED: 'cancelled',
  },
  'The reward as its customer sees it',
  { example: 'AWAITING_CUSTOMER_CLAIM' },
);

export const NextCursor: Schema = orNull(
  text('Pass it as `cursor` to get the next page. Null on the last one.', {
    example: 'UE5SXzAxSzda',
  }),
);

export const ExternalId: Schema = text(
  'Your own id: 1 to 160 characters, without control characters. Unique within an integration and mode.',
  { minLength: 1, maxLength: 160, pattern: '^[^\\u0000-\\u001f\\u007f]*$', example: 'A1' },
);

export const ClaimableFrom: Schema = orNull(
  instant(
    'When the hold of the reward ends or ended, ISO 8601 in UTC: the customer can claim it from then on, and the claim window begins. Null for a reward that never had a hold.',
    { example: null },
  ),
);

export const RedemptionStatus: Schema = choice(
  {
    HELD: 'the points are set aside until `expiresAt`',
    CAPTURED: 'the points are redeemed, but for those that came back',
    RELEASED: 'you released the hold, and the customer has the points again',
    EXPIRED: 'the hold ended without a capture, and the customer has the points again',
    REVERSED: 'the order was refunded, and the customer has the points again',
  },
  'The state of the redemption',
  { example: 'CAPTURED' },
);

export const RequestType: Schema = choice(
  {
    PURCHASE: 'reported a purchase',
    REFUND: 'reported a refund',
    RELEASE: 'ended the hold of an order',
    REDEMPTION: 'redeemed, held, captured, released or reversed points',
    READ: 'anything else, such as a GET, a quote or an order comparison',
  },
  'The kind of request',
  { example: 'PURCHASE' },
);

export const WebhookEventType: Schema = choice(
  {
    'reward.funded': 'the reward is funded, and the customer can claim it',
    'reward.awaiting_funding':
      'the available funding does not cover the reward, or one before it waits',
    'reward.claimable': 'the hold of the reward is over, and the customer can claim it',
    'reward.claimed': 'the customer claimed the reward',
    'reward.expired': 'the claim window ended before the customer claimed',
    'reward.reduced':
      'part of the order was refunded, and the reward has the points of what remains',
    'reward.cancelled': 'the reward was cancelled',
    'review.opened': 'the order of a claimed reward was refunded, and an operator decides',
    'review.asked': 'an operator has a question about a refund under review',
    'review.decided': 'the review was decided',
    'funding.low': 'the available funding fell below your low-balance threshold; LIVE only',
    'funding.topped_up': 'a top-up arrived, or test funding was added',
    'funding.withdrawn': 'unused funding was paid back to you; LIVE only',
    'funding.corrected': 'a mistaken top-up was taken back, all of it or a part; LIVE only',
    'funding.recovered':
      'the available funding is at or above your low-balance threshold again; LIVE only',
    'usage.threshold': '80 or 100 % of the points that your plan includes are used; LIVE only',
    'budget.threshold': "80 or 100 % of the points of a rule's budget are used",
    'points.ending': 'points of a customer end in 30 days, or in 7, unless there is activity',
    'points.ended': 'points of a customer ended, and their money went back to the funding',
    'invoice.issued': 'an invoice was issued; LIVE only',
    'invoice.payment_recorded': 'a payment of an invoice arrived; LIVE only',
    'invoice.payment_reversed': 'a recorded payment did not arrive, and is due again; LIVE only',
    'invoice.overdue': 'something is left to pay after the due date; LIVE only',
    'invoice.voided': 'a credit note took an invoice back; LIVE only',
    'go_live.approved': 'your go-live request was approved; sent in both modes',
    'go_live.returned':
      'your go-live request was returned with changes requested; sent in both modes',
    'credential.created': 'an API key was created',
    'credential.revoked': 'an API key was revoked',
    'credential.expiring': 'a signing secret of a LIVE API key expires in four weeks, or in one',
    'service_account.changed': 'a service account was created or revoked, or its token rotated',
    'reconciliation.completed': 'an order comparison is done or failed',
    'test.ping': 'you tested the endpoint',
  },
  'What happened',
);

export const WebhookState: Schema = choice(
  ['PENDING', 'DELIVERED', 'FAILED'],
  '`PENDING`: an attempt is due. `DELIVERED`: the endpoint responded with 2xx. `FAILED`: every attempt failed.',
);

export const WebhookEvent: Schema = open(
  {
    id: text(
      'Identifies the event, as the header `webhook-id` does, and is the same on every attempt: handle each once.',
      { example: 'whk_01K7ZQ8Y5N3T6W9X2V4B8D1F7H' },
    ),
    type: WebhookEventType,
    apiVersion: {
      type: 'string',
      const: 'v1',
      description: 'The version of the format. It changes when an existing part does.',
    },
    mode: Mode,
    createdAt: like(Timestamp, 'When it happened, ISO 8601 in UTC.'),
    sequence: orNull(
      whole(
        'Orders the changes of one reward, which can arrive in another order; numbers can be skipped. Between rewards no order is promised. Null for an event that is not a change of a reward.',
        { example: 1 },
      ),
    ),
    data: { type: 'object', description: 'What the event is about; see each event.' },
  },
  {
    description:
      'The body of a webhook. `data` depends on the type. Types and fields can be added: ignore those that you do not know. Examples that a developer sends, in TEST only, have `isExample` in `data`. [Verify it](#verifying-webhooks) before you read it.',
  },
);

export const AuditEntryStatus: Schema = choice(
  ['INTENDED', 'DONE', 'FAILED'],
  '`INTENDED`: started, without a recorded outcome yet. `DONE`: it succeeded. `FAILED`: it was refused or failed.',
);

export const ProposalStatus: Schema = choice(
  ['PROPOSED', 'APPROVED', 'REJECTED', 'FAILED', 'EXPIRED'],
  '`PROPOSED`: waits for another operator. `APPROVED`: approved. `REJECTED`: rejected or withdrawn. `FAILED`: it could not be carried out, or what it was based on changed; `reason` says why. `EXPIRED`: not approved in time.',
);

export const ProposalFields: Schema = open({
  proposalId: text('The proposal.'),
  action: text('Such as `partner.top-up`.'),
  partnerId: orNull(text('The partner, `prt_…`; null without one.')),
  targetId: orNull(text('The id of what it is about; null without one.')),
  details: { type: 'object', description: 'What it proposes, by name.' },
  facts: {
    type: 'object',
    description: 'What the approval covers. The proposal expires if any of it changes.',
  },
  status: ProposalStatus,
  proposedBy: text('The operator who proposed it.'),
  proposedAt: instant('When it was proposed, ISO 8601 in UTC.'),
  expiresAt: instant('When it can no longer be approved, ISO 8601 in UTC.'),
  decidedBy: orNull(text('The operator who approved or rejected it; null before.')),
  decidedAt: orNull(instant('When it was approved or rejected, ISO 8601 in UTC; null before.')),
  reason: orNull(text('Why it was rejected.')),
  carriedOutAt: orNull(instant('When it was carried out, ISO 8601 in UTC; null before.')),
});

export const Proposal: Schema = like(ProposalFields, undefined, { unevaluatedProperties: false });

export const Proposed: Schema = object({
  proposal: like(Proposal, 'The proposal, which another operator has to approve.'),
});

/** A page of a list. */
export const page = (items: Schema): Schema =>
  object({ items: list(items, 'The items of this page.'), nextCursor: NextCursor });
