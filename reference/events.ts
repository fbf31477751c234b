import { emailPattern, maxEmailChars } from '../domain/email.ts';
import { post, section } from './operations.ts';
import { inPath } from './parameter.ts';
import * as at from './parameters.ts';
import * as refused from './responses.ts';
import {
  choice,
  instant,
  like,
  likeOrNull,
  list,
  object,
  optional,
  orNull,
  type Schema,
  text,
  when,
  whole,
} from './shapes.ts';
import {
  Cents,
  ClaimableFrom,
  Currency,
  CustomerStatus,
  EventId,
  ExternalId,
  Mode,
  Points,
  RedemptionStatus,
  RewardId,
  RewardStatus,
  Success,
  Timestamp,
} from './shared.ts';

export const TimestampOrNull: Schema = orNull(
  instant('ISO 8601 in UTC, to the millisecond; or null.', { example: '2026-01-31T08:30:00.000Z' }),
);

export const OccurredAt: Schema = text(
  'ISO 8601 with a timezone offset, from 1970 to a day from now.',
  {
    pattern:
      '^(?=19[7-9]|20)(\\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|1\\d|2[0-8]))|(\\d{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)T(([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?|24:00(:00(\\.0{1,9})?)?)(Z|[+-]([01]\\d|2[0-3]):?[0-5]\\d)$',
    example: '2026-01-31T09:30:00+01:00',
  },
);

export const Metadata: Schema = {
  description:
    'Your own data, which no response contains: at most 16 KiB and 8 levels deep. No field, at any depth, can be named `__proto__`.',
  type: 'object',
  additionalProperties: true,
  example: { till: '4' },
};

export const PurchaseCustomer: Schema = object(
  {
    email: optional(
      orNull(
        text(
          'The email address: a name, an @ and a domain of two parts or more, or an address in brackets; a name in quotation marks can contain blanks. No invisible or control characters. Compared in Unicode NFC and lower case, without needless quotation marks, the domain in its ASCII form: Jo@Müller.de is jo@xn--mller-kva.de.',
          { example: 'a@b.co', maxLength: maxEmailChars, pattern: emailPattern },
        ),
      ),
    ),
    phone: optional(
      orNull(
        text(
          'The phone number, with a country code or as written in your country. Letters count as on a keypad: 1-800-FLOWERS. An invalid number with fewer than seven digits, such as a placeholder, counts as absent.',
          { example: '+1 202 555 0143', maxLength: 32 },
        ),
      ),
    ),
  },
  {
    description:
      'Who the customer is: an email address, a phone number or both. The email address identifies the customer; without one, the phone number does. A blank string or null counts as absent.',
    not: {
      properties: {
        email: { pattern: '^\\s*$' },
        phone: {
          pattern:
            '^(?!(?:[^0-9]*[0-9]){7})(?!(?:[^0-9A-Za-z]*[0-9]){3}(?:[^0-9A-Za-z]*[0-9A-Za-z]){4})',
        },
      },
    },
  },
);

export const PurchaseOrder: Schema = object(
  {
    subtotalCents: whole(
      "The order's subtotal in minor units of the currency: 4990 is 49.90 USD, 4,990 JPY and 4.990 KWD.",
      { minimum: 0, maximum: 100000000, example: 4990 },
    ),
    currency: optional(
      orNull(
        text("The currency's code of ISO 4217, in upper or lower case. USD when absent.", {
          pattern: '^[A-Za-z]{3}$',
          example: 'USD',
        }),
      ),
    ),
  },
  { description: "The order's value, which the points are computed from." },
);

export const PurchaseRequest: Schema = object(
  {
    externalOrderId: like(
      ExternalId,
      'Your id of the order, unique within the integration and mode. Use no personal data. If the value contains an email address or a phone number, our logs and workflow engine keep a keyed short form of it; responses, webhooks and the portal show it as you sent it.',
    ),
    customer: PurchaseCustomer,
    order: PurchaseOrder,
    occurredAt: optional(
      likeOrNull(
        OccurredAt,
        'When the customer bought: ISO 8601 with a timezone offset, from 1970 to a day from now. Campaigns and daily caps of an earning rule apply according to it. The time of arrival when absent.',
      ),
    ),
    metadata: optional(
      likeOrNull(
        Metadata,
        'Your own data, which no response contains: at most 16 KiB and 8 levels deep. No field, at any depth, can be named `__proto__` or hold a cost of yours: `cost`, `unitCost`, `partnerCost`, `rewardCost` (each also with `Cents`, except `unitCost`), `costPerPoint`, `pointCost`, `fundingCost`, `merchantCost`, `margin`, `commission` and `payout`, in any case and with `_` or `-`.',
      ),
    ),
  },
  {
    example: {
      externalOrderId: 'A1',
      customer: { email: 'a@b.co' },
      order: { subtotalCents: 4990, currency: 'USD' },
    },
  },
);

export const PurchaseResponse: Schema = object({
  success: Success,
  mode: Mode,
  eventId: EventId,
  externalOrderId: like(ExternalId, 'Your id of the order.'),
  reward: object(
    {
      id: RewardId,
      points: like(
        Points,
        'The points that the purchase earns by your active earning rule. They can be 0.',
      ),
      status: { type: 'string', const: 'PENDING', description: 'The state of every new reward.' },
      customerStatus: {
        type: 'string',
        const: 'AWAITING_CUSTOMER_CLAIM',
        description: 'A new reward is not claimed yet.',
      },
      claimExpiresAt: like(
        Timestamp,
        'The end of the claim window, ISO 8601 in UTC. If the reward has to wait for funding, the window starts again when it is funded.',
      ),
      claimableFrom: ClaimableFrom,
      claimUrl: optional(
        text(
          'The link with which the customer claims the reward. Only for integrations that deliver claim links themselves: show it to the customer and nobody else. A retry contains it until the customer is erased.',
          { format: 'uri', example: 'https://rewards.example.com/claim/5ZrK0tUu' },
        ),
      ),
    },
    {
      description:
        'The reward as it was created. Whether your funding covers it is decided after the response: read the reward, or receive `reward.funded` or `reward.awaiting_funding`.',
    },
  ),
});

export const RefundRequest: Schema = object(
  {
    externalOrderId: like(
      ExternalId,
      'Your id of the refunded order, as you reported its purchase.',
    ),
    externalRefundId: optional(
      orNull(
        text(
          'Your id of the refund, 1 to 160 characters without control characters, unique within the integration and mode. `refund:<externalOrderId>` when absent, which is accepted whatever its length. Required with `amountCents`: each partial refund needs an id of its own.',
          {
            minLength: 1,
            maxLength: 167,
            pattern: '^[^\\u0000-\\u001f\\u007f]*$',
            example: 'R-77',
          },
        ),
      ),
    ),
    amountCents: optional(
      orNull(
        whole(
          "How much of the order's subtotal is refunded, in minor units of its currency; at most what is left of it. When absent, all that is left.",
          { minimum: 1, maximum: 100000000, example: 1200 },
        ),
      ),
    ),
    reason: optional(
      orNull(
        text('Why the order is refunded, for the operator who decides a review.', {
          maxLength: 500,
          example: 'returned',
        }),
      ),
    ),
    occurredAt: optional(
      likeOrNull(
        OccurredAt,
        'When the order was refunded: ISO 8601 with a timezone offset, from 1970 to a day from now.',
      ),
    ),
    metadata: optional(likeOrNull(Metadata)),
  },
  {
    ...when(
      { required: ['amountCents'], properties: { amountCents: whole() } },
      { required: ['externalRefundId'], properties: { externalRefundId: text() } },
    ),
    example: { externalOrderId: 'A1', reason: 'returned' },
  },
);

export const RefundStatus: Schema = choice(
  {
    CANCELLED: 'the reward is cancelled, by this refund or before it',
    REDUCED:
      'a part of the order was refunded, and the unclaimed reward keeps the points of what remains',
    ADMIN_REVIEW: 'the reward was claimed before, and an operator decides',
    NO_ACTION: 'the reward had expired, and nothing changed',
  },
  'What the refund did',
  { example: 'REDUCED' },
);

export const RefundResponse: Schema = object({
  success: Success,
  mode: Mode,
  eventId: EventId,
  externalOrderId: like(ExternalId, 'Your id of the order.'),
  refund: object(
    {
      externalRefundId: text('Your id of the refund, or its default.', { example: 'R-77' }),
      status: RefundStatus,
      amountCents: like(
        Cents,
        "How much of the order's subtotal this refund is of, in minor units of its currency.",
        { example: 1200 },
      ),
    },
    { description: 'The refund and its effect.' },
  ),
  reward: object(
    {
      id: RewardId,
      points: like(
        Points,
        "The reward's points after the refund. A cancelled reward still shows what it had.",
        { example: 379 },
      ),
      status: RewardStatus,
    },
    { description: 'The reward as the refund left it.' },
  ),
});

export const RedemptionAction: Schema = {
  type: 'object',
  description: 'An empty object.',
  additionalProperties: false,
  example: {},
};

export const CheckoutRedemption: Schema = object(
  {
    id: text('Identifies the redemption, `red_…`: with it, you capture, release or reverse it.', {
      example: 'red_01K7ZR2B6K9M3P7T1V5X8D4F2G',
    }),
    externalRedemptionId: like(ExternalId, 'Your id of the redemption.', { example: 'R1' }),
    externalOrderId: likeOrNull(
      ExternalId,
      'Your id of the order that the points pay for; null if you named none.',
      { example: 'A2' },
    ),
    status: RedemptionStatus,
    points: like(Points, 'The points that are held or redeemed.', { minimum: 1, example: 200 }),
    amountCents: like(
      Cents,
      'What the points pay for, in minor units of the currency of your funding.',
      { example: 200 },
    ),
    reversedPoints: like(
      Points,
      'How many of the points came back to the customer after they were redeemed.',
      { example: 0 },
    ),
    reversedCents: like(Cents, 'How much of what the points paid for came back, in minor units.', {
      example: 0,
    }),
    expiresAt: like(
      TimestampOrNull,
      'The end of the hold, ISO 8601 in UTC; null if the points were redeemed without one.',
      { example: null },
    ),
    createdAt: like(Timestamp, 'When the points were redeemed or held, ISO 8601 in UTC.'),
    updatedAt: like(Timestamp, 'When it last changed, ISO 8601 in UTC.'),
  },
  { description: 'Points that a customer pays with.' },
);

export const DeliveryResponse: Schema = object({
  success: { type: 'boolean', const: true, description: 'Always true.' },
  result: choice(
    ['ACCEPTED', 'REPLAYED', 'IGNORED'],
    '`ACCEPTED`: recorded now. `REPLAYED`: recorded before. `IGNORED`: of no concern, as `reason` says.',
  ),
  eventIds: optional(list(text(), 'The events that it recorded, `evt_…`.', { maxItems: 5000 })),
  reason: optional(text('Why it is of no concern.', { example: 'The order is not paid.' })),
});

export const RewardRefund: Schema = object({
  externalRefundId: text('Your id of the refund, or its default.', { example: 'R-77' }),
  status: RefundStatus,
  amountCents: like(
    Cents,
    "How much of the order's subtotal it was of, in minor units of its currency.",
    { example: 1200 },
  ),
  receivedAt: like(Timestamp, 'When it was recorded, ISO 8601 in UTC.'),
});

export const RewardReview: Schema = object({
  status: choice(
    {
      OPEN: 'an operator has yet to decide',
      UPHELD: 'the refund cancels or reduces the reward',
      DISMISSED: 'the customer keeps the reward',
    },
    'The state of the review',
  ),
  decidedAt: like(TimestampOrNull, 'When it was decided, ISO 8601 in UTC; null while it is open.'),
});

export const PartnerReward: Schema = object(
  {
    id: RewardId,
    externalOrderId: like(ExternalId, 'Your id of its order.'),
    points: like(
      Points,
      'Its points, after partial refunds. A cancelled or expired reward still shows what it had.',
    ),
    status: RewardStatus,
    customerStatus: CustomerStatus,
    claimExpiresAt: like(Timestamp, 'The end of the claim window, ISO 8601 in UTC.', {
      example: '2026-03-02T08:30:00.000Z',
    }),
    claimableFrom: ClaimableFrom,
    createdAt: like(Timestamp, 'When its purchase was recorded, ISO 8601 in UTC.'),
    updatedAt: like(Timestamp, 'When it last changed, ISO 8601 in UTC.'),
    refunds: list(RewardRefund, 'The refunds of its order, oldest first.', { maxItems: 100 }),
    review: likeOrNull(
      RewardReview,
      'The newest review that a refund of the claimed reward opened; null without one.',
    ),
  },
  { description: 'The reward as it is now.' },
);

export const OrderResponse: Schema = object({
  success: Success,
  mode: Mode,
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
});

export const events = section(
  'Partner events',
  'Report purchases and refunds, and end holds, in signed requests.',
  [
    post('/api/v1/partner/purchases', {
      id: 'reportPurchase',
      summary: 'Report a purchase',
      description:
        'Records a purchase and creates a reward for the customer. A retry with the same `Idempotency-Key` and bytes returns the stored response: see [Idempotency](#idempotency). Whether your funding covers the reward is decided after the response. Requires the scope `events:write`.',
      by: 'partner',
      parameters: [at.IdempotencyKey],
      body: PurchaseRequest,
      gives: {
        201: [
          'The purchase is recorded. A retry returns the stored response.',
          PurchaseResponse,
          {
            Reward: {
              operationId: 'getPartnerReward',
              parameters: { rewardId: '$response.body#/reward/id' },
            },
            Refund: {
              operationId: 'reportRefund',
              requestBody: '{"externalOrderId": "{$response.body#/externalOrderId}"}',
            },
          },
        ],
      },
      errors: { 400: refused.BadEvent, 409: refused.PurchaseConflict, 422: refused.NoRule },
    }),
    post('/api/v1/partner/refunds', {
      id: 'reportRefund',
      summary: 'Report a refund',
      description:
        'Records a refund of all that is left of an order, or with `amountCents` of a part. A reward that is not claimed yet is cancelled, or keeps the points of what remains of the order. For a claimed reward, a review opens, in which an operator decides. An expired reward does not change. An order can have 100 refunds. Retries return the stored response: see [Idempotency](#idempotency). A suspended partner can still report refunds. Requires the scope `events:write`.',
      by: 'partner',
      parameters: [at.IdempotencyKey],
      body: RefundRequest,
      gives: {
        201: [
          'The refund is recorded. A retry returns the stored response.',
          RefundResponse,
          {
            Reward: {
              operationId: 'getPartnerReward',
              parameters: { rewardId: '$response.body#/reward/id' },
            },
          },
        ],
      },
      errors: {
        400: refused.BadEvent,
        404: refused.NoOriginalPurchase,
        409: refused.RefundConflict,
        422: refused.RefundTooLarge,
      },
    }),
    post('/connect/{connectionId}', {
      id: 'deliver',
      summary: "Deliver a platform's webhook",
      description:
        "For Shopify, WooCommerce and Stripe, which send to this address by themselves: your code never does. A delivery is proven by the platform's own signature, and reported as a purchase or a refund of the connection's integration and mode. Deliveries that were recorded before, or that do not concern points, are accepted too: the request log says why. Every other response means that the platform should send it again.",
      by: 'anyone',
      parameters: [
        inPath(
          'connectionId',
          'The id of the connection, `con_…`.',
          text(undefined, { example: 'con_01JAZ5H2N8Q4R6T8V0X2Y4Z6A8' }),
        ),
      ],
      body: { type: 'object', description: 'What the platform documents.' },
      gives: {
        200: [
          'The delivery was recorded, was recorded before, or does not concern points.',
          DeliveryResponse,
        ],
      },
      errors: {
        400: refused.InvalidInput,
        401: refused.NotAuthenticated,
        403: refused.NotAuthorized,
        404: refused.NotFound,
        422: refused.NoRule,
      },
    }),
    post('/api/v1/partner/orders/{externalOrderId}/release', {
      id: 'releasePartnerOrder',
      summary: 'Release an order from its hold',
      description:
        "Ends the hold of an order's reward now, for example on delivery or when the customer waives the return: the customer gets the claim link, and the claim window begins. Send `{}`. A repeat returns the order as it is, and so does an order without a hold, or whose reward is claimed or over. Requires the scope `events:write`.",
      by: 'partner',
      parameters: [
        inPath(
          'externalOrderId',
          'Your id of the order, percent-encoded as one segment of the path. Sign the path as you send it.',
          ExternalId,
        ),
        at.IdempotencyKey,
      ],
      body: RedemptionAction,
      replays: false,
      gives: { 200: ['The order as it is now.', OrderResponse] },
      errors: { 400: refused.BadAction, 404: refused.NotFound },
    }),
  ],
);
