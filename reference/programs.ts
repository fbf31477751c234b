import { ErrorCode } from './errors.ts';
import { get, patch, post, remove, section } from './operations.ts';
import { inQuery } from './parameter.ts';
import * as at from './parameters.ts';
import * as refused from './responses.ts';
import {
  choice,
  day,
  instant,
  like,
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
  CustomerStatus,
  EventId,
  Mode,
  NextCursor,
  Points,
  RequestType,
  RewardId,
  RewardStatus,
  Success,
  Timestamp,
  WebhookEvent,
  WebhookEventType,
  WebhookState,
} from './shared.ts';

export const IntegrationId: Schema = text('Identifies the integration, `int_…`.', {
  example: 'int_01K7ZQ3D8H2N6T9V4X7B1F5G0M',
});

export const Outcome: Schema = choice(
  {
    ACCEPTED: 'the event was recorded',
    REPLAYED: 'a retry got the stored response',
    OK: 'the request succeeded',
    IGNORED: "a delivery of a shop's platform that does not concern points",
    REHEARSED: 'a rehearsal refused it on purpose',
  },
  'The outcome of a request that was not refused',
);

export const CredentialId: Schema = text('Identifies the API key, `key_…`.', {
  example: 'key_01K7ZQ4F7J0M2P5R8T1V3X6Z9C',
});

export const LoggedRequest: Schema = object({
  id: text('Identifies the row of the log, `iev_…`.', {
    example: 'iev_01K7ZQ8Y4R1T3V5X7Z9B2D4F6H',
  }),
  receivedAt: like(Timestamp, 'When the request arrived, ISO 8601 in UTC.'),
  mode: Mode,
  type: RequestType,
  method: text('The method of the request.', { example: 'POST' }),
  path: text('The path of the request.', { example: '/api/v1/partner/purchases' }),
  status: whole('The status of the response.', { example: 201 }),
  code: {
    description:
      'The outcome: `ACCEPTED`, `REPLAYED`, `OK`, `IGNORED`, `REHEARSED` or an [error code](#error-codes).',
    anyOf: [Outcome, ErrorCode],
    example: 'ACCEPTED',
  },
  count: whole('1; more where refusals of a minute are counted together.', { example: 1 }),
  externalOrderId: orNull(
    text('Your id of the order; null if the request names none.', { example: 'A1' }),
  ),
  eventId: orNull(
    text('The event that it recorded or repeated, `evt_…`; null without one.', {
      example: 'evt_01K7ZQ8Y5N3T6W9X2V4B8D1F7H',
    }),
  ),
  requestId: text('The `X-Request-Id` of the response, `req_…`.', {
    example: 'req_01K7ZQ8Y4T6V9X2B5D8F1H3K7M',
  }),
  integrationId: IntegrationId,
  credentialId: CredentialId,
});

export const RequestLog: Schema = object({
  success: Success,
  events: list(LoggedRequest, 'The logged requests.'),
  next: orNull(
    text(
      'Pass it as `older` or `newer` to get the next page. Null at the end; newer requests can follow later.',
      { example: 'iev_01K7ZQ8Y4R1T3V5X7Z9B2D4F6H' },
    ),
  ),
});

export const ListedReward: Schema = object({
  id: RewardId,
  mode: Mode,
  externalOrderId: text('Your id of its order.', { example: 'A1' }),
  status: RewardStatus,
  customerStatus: CustomerStatus,
  points: like(Points, 'Its points, after partial refunds.'),
  costCents: like(Cents, 'What it costs you, in minor units of `currency`.', { example: 499 }),
  currency: like(Currency, 'The currency of `costCents`, ISO 4217.'),
  claimExpiresAt: like(Timestamp, 'The end of the claim window, ISO 8601 in UTC.'),
  claimableFrom: ClaimableFrom,
  customerId: text("Identifies the customer's contact without revealing it, `cus_…`.", {
    example: 'cus_3f9Qw7Zt1Lk5Xc8Vb2Nm4Rp6Ys0Dg1Ha',
  }),
  eventId: EventId,
  integrationId: IntegrationId,
  createdAt: like(Timestamp, 'When its purchase was recorded, ISO 8601 in UTC.'),
});

export const RewardList: Schema = object({
  success: Success,
  rewards: list(ListedReward, 'The rewards, newest first.'),
  nextCursor: NextCursor,
});

export const WebhookSubscription: Schema = {
  description: 'An event type, or `*` for all.',
  oneOf: [WebhookEventType, { type: 'string', const: '*' }],
};

export const WebhookUrl: Schema = text(
  "Starts with `https://`, contains no user, password or fragment, and leads to a public address. In TEST, where the service's configuration allows it, `http://localhost` is valid too.",
  { maxLength: 2048, pattern: '^https?://[^#]+$', example: 'https://shop.example/hooks/rewards' },
);

export const WebhookSecret: Schema = orNull(
  text(
    'A Standard Webhooks secret: `whsec_` and base64. Only this response contains it. Null in LIVE: an owner of the partner is shown it once, in the portal.',
    { example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' },
  ),
);

export const WebhookSecretAge: Schema = object({
  createdAt: instant('When it was created, ISO 8601 in UTC.', {
    example: '2026-01-31T08:30:00.000Z',
  }),
  expiresAt: orNull(
    instant('When a replaced secret stops signing, ISO 8601 in UTC; null for the current one.', {
      example: null,
    }),
  ),
});

export const WebhookEndpoint: Schema = object({
  id: text('The endpoint, `whe_…`.', { example: 'whe_01K7ZZ3V6X9B1D4F7H0K2M5P8R' }),
  partnerId: text('The partner, `prt_…`.', { example: 'prt_01K7ZQ2B5D8F1H4K7N0Q3S6V9X' }),
  mode: Mode,
  url: text('Where events are sent.', { example: 'https://shop.example/hooks/rewards' }),
  eventTypes: list(WebhookSubscription, 'The events that are sent.', {
    minItems: 1,
    uniqueItems: true,
  }),
  description: text('What it is for, in the partner’s words.', { example: 'the till' }),
  status: choice(
    ['ACTIVE', 'PAUSED', 'DISABLED'],
    '`ACTIVE`: events are sent. `PAUSED`: they wait until it is resumed. `DISABLED`: none are sent; see `disabledReason`.',
  ),
  disabledReason: orNull(
    choice(
      ['GONE', 'FAILING'],
      '`GONE`: it responded with 410. `FAILING`: it failed for five days. Null unless it is disabled.',
    ),
  ),
  secrets: list(WebhookSecretAge, 'Its signing secrets, without their values.'),
  failingSince: orNull(
    instant('Since when every attempt failed, ISO 8601 in UTC; null if the last one did not.', {
      example: null,
    }),
  ),
  createdAt: instant('When it was created, ISO 8601 in UTC.', {
    example: '2026-01-31T08:30:00.000Z',
  }),
  updatedAt: instant('When it last changed, ISO 8601 in UTC.', {
    example: '2026-01-31T08:30:00.000Z',
  }),
});

export const WebhookEndpointResponse: Schema = object({
  success: Success,
  endpoint: like(WebhookEndpoint, 'The endpoint.'),
});

export const RevealedWebhookEndpoint: Schema = object({
  success: Success,
  endpoint: like(WebhookEndpoint, 'The endpoint.'),
  secret: WebhookSecret,
});

export const WebhookEndpointList: Schema = object({
  success: Success,
  endpoints: list(WebhookEndpoint, 'The endpoints of this page.', { maxItems: 100 }),
  nextCursor: NextCursor,
});

export const WebhookAttempt: Schema = object({
  at: instant('When it happened, ISO 8601 in UTC.', { example: '2026-01-31T08:30:00.000Z' }),
  durationMs: whole('How long it took, in milliseconds.', { example: 84 }),
  status: orNull(whole('The status of the response; null without one.', { example: 204 })),
  error: orNull(
    text(
      'Why there was no response, as a code such as that of a timeout or of a refused connection.',
      { example: null },
    ),
  ),
  response: text('The body of the response, at most 16 KiB.', { example: '' }),
});

export const WebhookDelivery: Schema = object({
  id: text('The delivery, `whd_…`.', { example: 'whd_01K7ZQ8Y6P2S5V8X1A4C7E0G3J' }),
  endpointId: text('The endpoint, `whe_…`.', { example: 'whe_01K7ZZ3V6X9B1D4F7H0K2M5P8R' }),
  mode: Mode,
  eventId: text('The event, `whk_…`: the `webhook-id`.', {
    example: 'whk_01K7ZQ8Y5N3T6W9X2V4B8D1F7H',
  }),
  type: WebhookEventType,
  rewardId: orNull(
    text('The reward that it is about, `PNR_…`; null without one.', { example: null }),
  ),
  state: WebhookState,
  event: WebhookEvent,
  attempts: list(WebhookAttempt, 'The attempts so far, oldest first.'),
  nextAttemptAt: orNull(
    instant(
      'When the next attempt is due, ISO 8601 in UTC; null for the first, which is made at once, and if none is.',
      { example: null },
    ),
  ),
  deliveredAt: orNull(
    instant('When it was received, ISO 8601 in UTC; null before.', {
      example: '2026-01-31T08:30:00.000Z',
    }),
  ),
  createdAt: instant('When it was created, ISO 8601 in UTC.', {
    example: '2026-01-31T08:30:00.000Z',
  }),
});

export const WebhookDeliveryList: Schema = object({
  success: Success,
  deliveries: list(WebhookDelivery, 'The deliveries of this page.', { maxItems: 100 }),
  nextCursor: NextCursor,
});

export const WebhookDeliveryResponse: Schema = object({
  success: Success,
  delivery: like(WebhookDelivery, 'The delivery.'),
});

export const WebhookResent: Schema = object({
  success: Success,
  resent: whole('How many webhooks are pending.', { minimum: 0, maximum: 10000, example: 12 }),
  next: orNull(
    instant('From when on there are more, ISO 8601 in UTC; null if there are none.', {
      example: null,
    }),
  ),
});

export const WebhookEndpointCreate: Schema = object({
  mode: Mode,
  url: WebhookUrl,
  eventTypes: optional(
    list(WebhookSubscription, 'The events that are sent; every one when absent.', {
      minItems: 1,
      uniqueItems: true,
    }),
  ),
  description: optional(
    text('What it is for, in the partner’s words.', { maxLength: 200, example: 'the till' }),
  ),
});

export const WebhookEndpointUpdate: Schema = object(
  {
    url: optional(WebhookUrl),
    eventTypes: optional(
      list(WebhookSubscription, 'The events that are sent.', { minItems: 1, uniqueItems: true }),
    ),
    description: optional(
      text('What it is for, in the partner’s words.', { maxLength: 200, example: 'the till' }),
    ),
    status: optional(
      choice(
        ['ACTIVE', 'PAUSED'],
        '`ACTIVE` resumes or enables it. `PAUSED` lets its events wait.',
      ),
    ),
  },
  { minProperties: 1 },
);

export const WebhookResend: Schema = object({
  from: instant('The time of the earliest event, ISO 8601 with a timezone offset.', {
    example: '2026-01-31T09:00:00Z',
  }),
  until: optional(
    instant(
      'The first time that is too late, later than `from`, ISO 8601 with a timezone offset.',
      { example: '2026-01-31T10:00:00Z' },
    ),
  ),
  state: optional({
    type: 'string',
    const: 'FAILED',
    description: 'Only deliveries that failed for good.',
  }),
});

export const programs = section(
  'Programs',
  'Read the request log and rewards with the access token of a service account or a user.',
  [
    get('/events', {
      id: 'readRequestLog',
      summary: 'List logged requests',
      description:
        'Returns your request log: every signed request with its outcome, newest first, or oldest first with `newer`. Requires the scope `log:read`.',
      by: 'program',
      parameters: [
        inQuery(
          'mode',
          "The mode to read: `TEST` or `LIVE`. A service account reads only its own mode, which is also the default; a user's token reads both modes of the log, and LIVE rewards once the partner is live.",
          Mode,
        ),
        inQuery(
          'type',
          'Return only requests of this kind: `PURCHASE`, `REFUND`, `RELEASE`, `REDEMPTION` or `READ`.',
          RequestType,
        ),
        inQuery(
          'code',
          'Return only requests with this outcome: `ACCEPTED`, `REPLAYED`, `OK`, `IGNORED`, `REHEARSED` or an error code.',
          text(undefined, { example: 'INVALID_SIGNATURE' }),
        ),
        inQuery(
          'order',
          'Return only those of this order, by your own id.',
          text(undefined, { maxLength: 255, example: 'A1' }),
        ),
        inQuery(
          'from',
          'The first day to return, in UTC, yyyy-mm-dd.',
          day(undefined, { example: '2026-01-31' }),
        ),
        inQuery(
          'to',
          'The last day to return, in UTC, yyyy-mm-dd.',
          day(undefined, { example: '2026-01-31' }),
        ),
        inQuery(
          'older',
          'Return requests older than the one with this id. Cannot be combined with `newer`.',
          text(undefined, {
            pattern: '^iev_[0-9A-Z]{26}$',
            example: 'iev_01K7ZQ8Y4R1T3V5X7Z9B2D4F6H',
          }),
        ),
        inQuery(
          'newer',
          'Return requests newer than the one with this id, oldest first.',
          text(undefined, {
            pattern: '^iev_[0-9A-Z]{26}$',
            example: 'iev_01K7ZQ8Y4R1T3V5X7Z9B2D4F6H',
          }),
        ),
        inQuery(
          'limit',
          'The most requests to return.',
          whole(undefined, { minimum: 1, maximum: 500, default: 100, example: 100 }),
        ),
      ],
      gives: { 200: ['One page of logged requests.', RequestLog] },
      errors: { 400: refused.InvalidQuery, 403: refused.NotReadable },
    }),
    get('/rewards', {
      id: 'readRewards',
      summary: 'List your rewards',
      description: 'Returns your rewards, newest first. Requires the scope `rewards:read`.',
      by: 'program',
      parameters: [
        inQuery(
          'mode',
          "The mode to read: `TEST` or `LIVE`. A service account reads only its own mode, which is also the default; a user's token reads both modes of the log, and LIVE rewards once the partner is live.",
          Mode,
        ),
        inQuery(
          'status',
          'Return only rewards in this state: `PENDING`, `AWAITING_FUNDING`, `AVAILABLE`, `EXPIRED`, `CANCELLED` or `ADMIN_REVIEW`.',
          RewardStatus,
        ),
        inQuery(
          'order',
          'Return only those of this order, by your own id.',
          text(undefined, { maxLength: 255, example: 'A1' }),
        ),
        inQuery(
          'customer',
          'Return only rewards of this customer, by `customerId`.',
          text(undefined, {
            pattern: '^cus_[0-9A-Za-z_-]{32}$',
            example: 'cus_3f9Qw7Zt1Lk5Xc8Vb2Nm4Rp6Ys0Dg1Ha',
          }),
        ),
        inQuery(
          'from',
          'The first day to return, in UTC, yyyy-mm-dd.',
          day(undefined, { example: '2026-01-31' }),
        ),
        inQuery(
          'to',
          'The last day to return, in UTC, yyyy-mm-dd.',
          day(undefined, { example: '2026-01-31' }),
        ),
        at.Limit,
        at.Cursor,
      ],
      gives: { 200: ['One page of rewards.', RewardList] },
      errors: { 400: refused.InvalidQuery, 403: refused.NotReadable },
    }),
    get('/webhooks/endpoints', {
      id: 'listOwnWebhookEndpoints',
      summary: 'List your webhook endpoints',
      description:
        "Returns your endpoints of both modes, the newest first. Requires a user's access token.",
      by: 'program',
      parameters: [
        inQuery('mode', 'Return only endpoints of this mode: `TEST` or `LIVE`.', Mode),
        at.Limit,
        at.Cursor,
      ],
      gives: { 200: ['One page of endpoints.', WebhookEndpointList] },
      errors: { 400: refused.InvalidQuery },
    }),
    post('/webhooks/endpoints', {
      id: 'createOwnWebhookEndpoint',
      summary: 'Create a webhook endpoint',
      description:
        "Creates a TEST endpoint, up to ten, and returns its signing secret once. LIVE endpoints are changed in the portal, since that takes a second factor. Requires a user's access token whose role manages webhooks.",
      by: 'program',
      body: WebhookEndpointCreate,
      gives: { 201: ['The endpoint is created.', RevealedWebhookEndpoint] },
      errors: { 400: refused.InvalidQuery, 409: refused.Conflict },
      never: [413, 415],
    }),
    get('/webhooks/endpoints/{endpointId}', {
      id: 'getOwnWebhookEndpoint',
      summary: 'Retrieve a webhook endpoint',
      description: "Returns an endpoint of yours. Requires a user's access token.",
      by: 'program',
      parameters: [at.EndpointId],
      gives: { 200: ['The endpoint.', WebhookEndpointResponse] },
      errors: { 404: refused.NotFound },
    }),
    patch('/webhooks/endpoints/{endpointId}', {
      id: 'updateOwnWebhookEndpoint',
      summary: 'Update, pause or resume a webhook endpoint',
      description:
        "Changes a TEST endpoint. A paused one receives its events once it is resumed; `ACTIVE` also enables a disabled one. Requires a user's access token whose role manages webhooks.",
      by: 'program',
      parameters: [at.EndpointId],
      body: WebhookEndpointUpdate,
      gives: { 200: ['The updated endpoint.', WebhookEndpointResponse] },
      errors: { 400: refused.InvalidQuery, 404: refused.NotFound },
      never: [413, 415],
    }),
    remove('/webhooks/endpoints/{endpointId}', {
      id: 'deleteOwnWebhookEndpoint',
      summary: 'Delete a webhook endpoint',
      description:
        "Deletes a TEST endpoint with its pending deliveries. Requires a user's access token whose role manages webhooks.",
      by: 'program',
      parameters: [at.EndpointId],
      gives: { 200: ['The endpoint is deleted.', WebhookEndpointResponse] },
      errors: { 404: refused.NotFound },
    }),
    post('/webhooks/endpoints/{endpointId}/secrets', {
      id: 'rotateOwnWebhookSecret',
      summary: 'Rotate a webhook signing secret',
      description:
        "Returns a new secret of a TEST endpoint once. The previous one signs beside it for a day. Requires a user's access token whose role manages webhooks.",
      by: 'program',
      parameters: [at.EndpointId],
      gives: { 201: ['The new secret.', RevealedWebhookEndpoint] },
      errors: { 404: refused.NotFound },
    }),
    post('/webhooks/endpoints/{endpointId}/test', {
      id: 'testOwnWebhookEndpoint',
      summary: 'Send a test webhook',
      description:
        "Sends `test.ping` to a TEST endpoint. Requires a user's access token whose role manages webhooks.",
      by: 'program',
      parameters: [at.EndpointId],
      gives: { 202: ['A `test.ping` is pending.', WebhookDeliveryResponse] },
      errors: { 404: refused.NotFound },
    }),
    get('/webhooks/endpoints/{endpointId}/deliveries', {
      id: 'listOwnWebhookDeliveries',
      summary: 'List webhook deliveries',
      description:
        "Returns the deliveries of an endpoint in the last 30 days, the newest first. Requires a user's access token.",
      by: 'program',
      parameters: [
        at.EndpointId,
        at.Limit,
        at.Cursor,
        inQuery(
          'state',
          'Return only deliveries in this state: `PENDING`, `DELIVERED` or `FAILED`.',
          WebhookState,
        ),
        inQuery(
          'type',
          'Return only deliveries of this event.',
          text(undefined, { example: 'reward.claimed' }),
        ),
      ],
      gives: { 200: ['One page of deliveries.', WebhookDeliveryList] },
      errors: { 400: refused.InvalidQuery, 404: refused.NotFound },
    }),
    post('/webhooks/endpoints/{endpointId}/resend', {
      id: 'resendOwnWebhooks',
      summary: 'Resend the webhooks of a time range',
      description:
        "Resends up to 10,000 webhooks of a TEST endpoint, oldest first, each with its original id and body. If there are more, pass `next` as the `from` of the next request. Requires a user's access token whose role manages webhooks.",
      by: 'program',
      parameters: [at.EndpointId],
      body: WebhookResend,
      gives: { 202: ['How many webhooks are pending.', WebhookResent] },
      errors: { 400: refused.InvalidQuery, 404: refused.NotFound },
      never: [413, 415],
    }),
  ],
);
