import { CheckoutRedemption, PurchaseCustomer, PurchaseOrder, RedemptionAction } from './events.ts';
import { get, post, section } from './operations.ts';
import * as at from './parameters.ts';
import * as refused from './responses.ts';
import {
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
  ClaimableFrom,
  Currency,
  EventId,
  ExternalId,
  Mode,
  NextCursor,
  Points,
  RedemptionStatus,
  Success,
  Timestamp,
} from './shared.ts';

export const QuoteRequest: Schema = object(
  {
    order: PurchaseOrder,
    customer: optional(
      likeOrNull(
        PurchaseCustomer,
        'The customer whose daily cap counts, as in a purchase. When absent, the cap is taken as unused.',
      ),
    ),
  },
  { example: { order: { subtotalCents: 4990, currency: 'USD' } } },
);

export const QuoteResponse: Schema = object({
  success: Success,
  mode: Mode,
  points: like(Points, 'The points that the purchase would earn now.'),
  explanation: text('How the points are computed: one sentence in English.', {
    example:
      '10 points for every $1.00 of $49.90: 49.90 × 10 / 1.00, rounded down, = 499 points; they cost 499 × $0.01 = $4.99, rounded up to the cent.',
  }),
  ruleId: text('The version of the earning rule that applies, `rul_…`.', {
    example: 'rul_01K7ZPX4M7D2Q9S6W3Y8C5H1TB',
  }),
  claimWindow: text('How long the customer could claim the reward: an ISO 8601 duration.', {
    example: 'P30D',
  }),
  claimableFrom: like(
    ClaimableFrom,
    'When the hold of a reward of now would end, ISO 8601 in UTC; null if it could be claimed at once.',
  ),
});

export const BalanceRequest: Schema = object(
  { customer: PurchaseCustomer },
  { example: { customer: { email: 'a@b.co' } } },
);

export const BalanceResponse: Schema = object({
  success: Success,
  mode: Mode,
  currency: like(Currency, 'The currency of `amountCents`, ISO 4217.'),
  points: like(
    Points,
    'The points that the customer can redeem now, within your daily limit if there is one.',
  ),
  amountCents: like(Cents, 'What `points` pay for, in minor units of `currency`.', {
    example: 499,
  }),
  heldPoints: like(Points, 'Points held for other orders; they are not in `points`.', {
    example: 0,
  }),
  pendingPoints: like(
    Points,
    'Points of rewards that are not claimed yet; they are not in `points`.',
    { example: 120 },
  ),
  endingPoints: like(
    Points,
    'Points that end at `endsAt` unless the customer claims or spends points before then; 0 if none do.',
    { example: 0 },
  ),
  endsAt: likeOrNull(Timestamp, 'When `endingPoints` end, ISO 8601 in UTC; null if none do.', {
    example: '2027-03-01T00:00:00.000Z',
  }),
});

export const RedemptionRequest: Schema = object(
  {
    externalRedemptionId: like(
      ExternalId,
      'Your id of the redemption, unique within the integration and mode. Each attempt at a checkout has its own.',
      { example: 'R1' },
    ),
    customer: PurchaseCustomer,
    points: optional(
      orNull(
        whole('How many points to redeem.', {
          minimum: 1,
          maximum: 9007199254740991,
          example: 200,
        }),
      ),
    ),
    amountCents: optional(
      orNull(
        whole(
          'How much the points have to pay for, in minor units of the currency of your funding. The fewest points that are worth it are redeemed.',
          { minimum: 1, maximum: 9007199254740991, example: 200 },
        ),
      ),
    ),
    externalOrderId: optional(
      likeOrNull(ExternalId, 'Your id of the order that the points pay for.'),
    ),
    hold: optional(
      orNull(
        flag(
          'True sets the points aside for 15 minutes, until you capture or release them. When absent or false, they are redeemed at once.',
          { example: true },
        ),
      ),
    ),
  },
  {
    description: 'Give either `points` or `amountCents`.',
    oneOf: [
      { required: ['points'], properties: { points: whole() } },
      { required: ['amountCents'], properties: { amountCents: whole() } },
    ],
    example: {
      externalRedemptionId: 'R1',
      customer: { email: 'a@b.co' },
      points: 200,
      externalOrderId: 'A2',
    },
  },
);

export const RedemptionReversal: Schema = object(
  {
    points: optional(
      orNull(
        whole('How many points come back, with their share of what they paid for.', {
          minimum: 1,
          maximum: 9007199254740991,
          example: 50,
        }),
      ),
    ),
    amountCents: optional(
      orNull(
        whole(
          'How much of what the points paid for comes back, in minor units of the currency of your funding, with its share of the points, rounded down until the last part.',
          { minimum: 1, maximum: 9007199254740991, example: 50 },
        ),
      ),
    ),
  },
  {
    description: 'All that is left if it is empty; give at most one of `points` and `amountCents`.',
    not: {
      required: ['points', 'amountCents'],
      properties: { points: whole(), amountCents: whole() },
    },
    example: {},
  },
);

export const RedemptionResponse: Schema = object({
  success: Success,
  mode: Mode,
  eventId: EventId,
  redemption: CheckoutRedemption,
  balance: object(
    {
      points: like(Points, 'The points that the customer can still redeem.', { example: 299 }),
      amountCents: like(
        Cents,
        'What they pay for, in minor units of the currency of your funding.',
        { example: 299 },
      ),
    },
    { description: 'What the customer can redeem afterwards.' },
  ),
});

export const RedemptionReadResponse: Schema = object({
  success: Success,
  mode: Mode,
  redemption: CheckoutRedemption,
});

export const RedemptionList: Schema = object({
  success: Success,
  mode: Mode,
  redemptions: list(CheckoutRedemption, 'The redemptions of this page.', { maxItems: 100 }),
  nextCursor: NextCursor,
});

export const RedemptionSearch: Schema = object(
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
        RedemptionStatus,
        'Return only redemptions in this state: `HELD`, `CAPTURED`, `RELEASED`, `EXPIRED` or `REVERSED`.\n',
      ),
    ),
  },
  { example: { customer: { email: 'a@b.co' } } },
);

export const checkout = section(
  'Checkout',
  'Quote points, read customers’ balances and take points as payment, in signed requests.',
  [
    post('/api/v1/partner/quotes', {
      id: 'quotePurchase',
      summary: 'Quote the points of a purchase',
      description:
        'Returns the points that the same purchase would earn now, for a product page or a cart. Stores nothing, and takes no `Idempotency-Key`. Requires the scope `events:read`.',
      by: 'partner',
      body: QuoteRequest,
      gives: { 200: ['The points.', QuoteResponse] },
      errors: { 400: refused.BadQuestion, 422: refused.NoRule },
    }),
    post('/api/v1/partner/balances', {
      id: 'readBalance',
      summary: 'Read what a customer can spend',
      description:
        "Returns a customer's points. It is a POST, because an email address must not be in a URL, and takes no `Idempotency-Key`. A customer without rewards has zeros. Requires the scope `customers:read`.",
      by: 'partner',
      body: BalanceRequest,
      gives: { 200: ["The customer's points.", BalanceResponse] },
      errors: { 400: refused.BadQuestion },
    }),
    post('/api/v1/partner/redemptions', {
      id: 'redeemAtCheckout',
      summary: 'Redeem points, or hold them',
      description:
        "Pays with a customer's points: with `points`, or with the fewest that are worth `amountCents`. With `hold`, they are set aside for 15 minutes, and the customer has them again unless you capture them. Retries return the stored response: see [Idempotency](#idempotency); once the redemption has ended otherwise, `REDEMPTION_ENDED`. Each attempt at a checkout has an `externalRedemptionId` of its own. Requires the scope `redemptions:write`.",
      by: 'partner',
      parameters: [at.IdempotencyKey],
      body: RedemptionRequest,
      gives: {
        201: [
          'The points are redeemed or held. A retry returns the stored response.',
          RedemptionResponse,
          {
            Capture: {
              operationId: 'captureRedemption',
              parameters: { redemptionId: '$response.body#/redemption/id' },
              requestBody: '{}',
            },
            Release: {
              operationId: 'releaseRedemption',
              parameters: { redemptionId: '$response.body#/redemption/id' },
              requestBody: '{}',
            },
            Reverse: {
              operationId: 'reverseRedemption',
              parameters: { redemptionId: '$response.body#/redemption/id' },
              requestBody: '{}',
            },
          },
        ],
      },
      errors: {
        400: refused.BadAction,
        409: refused.RedemptionConflict,
        422: refused.TooFewPoints,
      },
    }),
    get('/api/v1/partner/redemptions', {
      id: 'listRedemptions',
      summary: 'List redemptions',
      description:
        "Returns the redemptions that the key's integration made in the key's mode, the newest change first. Poll with `changedSince`, a minute before the newest `updatedAt` that you know. What changes while you page is at the beginning of the next list. The query is not signed. Requires the scope `events:read`.",
      by: 'partner',
      parameters: [
        at.Limit,
        at.Cursor,
        at.ChangedSince,
        at.ReceivedFrom,
        at.ReceivedTo,
        at.RedemptionStatusFilter,
      ],
      gives: { 200: ['One page of redemptions.', RedemptionList] },
      errors: { 400: refused.BadQuery },
    }),
    post('/api/v1/partner/redemptions/search', {
      id: 'searchRedemptions',
      summary: 'List the redemptions of a customer',
      description:
        "Returns the redemptions of one customer that the key's integration made in the key's mode, the newest first. It is a POST, because an email address must not be in a URL, and takes no `Idempotency-Key`. A stranger has none. Requires the scope `events:read`, and `customers:read`.",
      by: 'partner',
      body: RedemptionSearch,
      gives: { 200: ['One page of redemptions.', RedemptionList] },
      errors: { 400: refused.BadQuestion },
    }),
    get('/api/v1/partner/redemptions/{redemptionId}', {
      id: 'getRedemption',
      summary: 'Retrieve a redemption',
      description:
        'Returns a redemption as it is now. An id of the other mode or of another integration returns `NOT_FOUND`. Requires the scope `events:read`.',
      by: 'partner',
      parameters: [at.RedemptionId],
      gives: { 200: ['The redemption.', RedemptionReadResponse] },
      errors: { 400: refused.UnexpectedQuery, 404: refused.NotFound },
    }),
    post('/api/v1/partner/redemptions/{redemptionId}/capture', {
      id: 'captureRedemption',
      summary: 'Capture held points',
      description:
        'Redeems the held points, once the order is paid. Send `{}`. Capturing again returns the redemption as it is. From `expiresAt` on, or if the hold was released or the redemption reversed, it returns `REDEMPTION_ENDED`, also for a retry. Requires the scope `redemptions:write`.',
      by: 'partner',
      parameters: [at.RedemptionId, at.IdempotencyKey],
      body: RedemptionAction,
      gives: { 200: ['The redemption as it is now.', RedemptionResponse] },
      errors: { 400: refused.BadAction, 404: refused.NotFound, 409: refused.CannotEndRedemption },
    }),
    post('/api/v1/partner/redemptions/{redemptionId}/release', {
      id: 'releaseRedemption',
      summary: 'Release held points',
      description:
        'Gives the held points back to the customer, if the order is not placed. Send `{}`. Releasing again returns the redemption as it is. If the points were captured or the hold has expired, it returns `REDEMPTION_ENDED`. Requires the scope `redemptions:write`.',
      by: 'partner',
      parameters: [at.RedemptionId, at.IdempotencyKey],
      body: RedemptionAction,
      gives: { 200: ['The redemption as it is now.', RedemptionResponse] },
      errors: { 400: refused.BadAction, 404: refused.NotFound, 409: refused.CannotEndRedemption },
    }),
    post('/api/v1/partner/redemptions/{redemptionId}/reverse', {
      id: 'reverseRedemption',
      summary: 'Give redeemed points back',
      description:
        'Gives redeemed points and their value back to the customer, if the order that they paid for is refunded: all that is left with `{}`, or a part with `points` or `amountCents`. Each part has an `Idempotency-Key` of its own, such as the id of the refund; more than is left is `INSUFFICIENT_POINTS`. Reversing all again returns the redemption as it is. If the points were not captured, it returns `REDEMPTION_ENDED`: release a hold instead. Requires the scope `redemptions:write`.',
      by: 'partner',
      parameters: [at.RedemptionId, at.IdempotencyKey],
      body: RedemptionReversal,
      gives: { 200: ['The redemption as it is now.', RedemptionResponse] },
      errors: {
        400: refused.BadAction,
        404: refused.NotFound,
        409: refused.CannotEndRedemption,
        422: refused.TooMuchBack,
      },
    }),
  ],
);
