import { get, post, section } from './operations.ts';
import { inPath } from './parameter.ts';
import * as refused from './responses.ts';
import {
  choice,
  like,
  list,
  object,
  optional,
  orNull,
  type Schema,
  text,
  whole,
} from './shapes.ts';
import { Success, Timestamp } from './shared.ts';

export const RehearsedWebhooks: Schema = object({
  sent: whole('How many were sent.', { minimum: 0, example: 3 }),
  accepted: whole('How many of them got a 2xx.', { minimum: 0, example: 3 }),
});

export const Rehearsal: Schema = object(
  {
    id: text('Identifies the rehearsal, `rhs_…`.', {
      pattern: '^rhs_',
      example: 'rhs_01K7ZS5C8N2Q6R9T3V7X1B4D0F',
    }),
    status: choice(
      {
        RUNNING: 'requests and webhooks can still meet a fault',
        ENDED: 'it has ended, and the report is final once retries have arrived',
      },
      'Whether it is still running',
    ),
    startedAt: like(Timestamp, 'When it started, ISO 8601 in UTC.'),
    endsAt: like(Timestamp, 'When it ends or ended, ISO 8601 in UTC.'),
    report: object(
      {
        faults: object(
          {
            LOST: whole('Requests whose connection was cut after the event was recorded.', {
              minimum: 0,
              example: 2,
            }),
            UNAVAILABLE: whole(
              'Requests that were refused with 503 before the event was recorded.',
              { minimum: 0, example: 1 },
            ),
            RATE_LIMITED: whole(
              'Requests that were refused with 429 before the event was recorded.',
              { minimum: 0, example: 1 },
            ),
            SLOW: whole('Requests whose response came some 3 seconds late.', {
              minimum: 0,
              example: 3,
            }),
          },
          { description: 'How many requests met each fault, at most 200 in all.' },
        ),
        retried: whole('How many of them were sent again with the same key.', {
          minimum: 0,
          example: 4,
        }),
        webhooks: object(
          {
            DOUBLED: like(RehearsedWebhooks, 'Webhooks that arrived twice.'),
            REORDERED: like(
              RehearsedWebhooks,
              'Webhooks that arrived 5 seconds late, so that others overtook them.',
            ),
            LATE: like(RehearsedWebhooks, 'Webhooks that arrived a minute late.'),
            ROTATED: like(
              RehearsedWebhooks,
              'Webhooks with a second signature, by another secret, as during a rotation.',
            ),
          },
          { description: 'How many webhooks met each fault, and how many of those got a 2xx.' },
        ),
        missingOrders: orNull(
          whole(
            'How many orders and refunds the newest order comparison since the start found missing; null without one.',
            { minimum: 0, example: 0 },
          ),
        ),
        problems: list(
          object({
            problem: choice(
              {
                NOT_RETRIED: 'not sent again within a minute after a lost response, 503 or 429',
                OTHER_BYTES: 'sent again with its key, but another body',
                TOO_EARLY: 'sent again before `Retry-After` was over',
                LOST_FOR_GOOD: 'what the request reported is not recorded',
                WEBHOOK_REFUSED: 'a webhook that met a fault got no 2xx',
                MISSING_ORDERS: 'see `missingOrders`',
              },
              'What went wrong',
            ),
            count: whole('How many requests, webhooks or orders have it.', {
              minimum: 1,
              example: 1,
            }),
            requestIds: list(
              text(undefined, { pattern: '^req_', example: 'req_01K7ZQ8Y4T6V9X2B5D8F1H3K7M' }),
              'The `X-Request-Id` of the first requests with the problem.',
              { maxItems: 20 },
            ),
          }),
          'What the integration did wrong; empty if nothing.',
        ),
        verdict: choice(
          {
            NOTHING_HAPPENED: 'no request and no webhook met a fault',
            PASSED: 'the integration coped with all of them',
            PROBLEMS: 'see `problems`',
          },
          'The result so far',
        ),
      },
      { description: 'How the integration did so far.' },
    ),
  },
  {
    description:
      'Some minutes in which requests and webhooks of a TEST key fail on purpose, and how the integration did.',
  },
);

export const RehearsalResponse: Schema = object({
  success: Success,
  mode: { type: 'string', const: 'TEST', description: 'Rehearsals exist in TEST only.' },
  rehearsal: Rehearsal,
});

export const rehearsals = section('TEST', 'Rehearse failures in TEST, in signed requests.', [
  post('/api/v1/partner/test/rehearsals', {
    id: 'startRehearsal',
    summary: 'Start a rehearsal',
    description:
      'Starts a rehearsal of failures for the TEST key that signs it. The first request with each `Idempotency-Key` can lose its response after the event was recorded, be refused with 503 or 429 and `Retry-After`, or get its response late; webhooks to your TEST endpoints can arrive twice, out of order, late, or with a second signature by another secret. Each happens to one in six. Send each such request again with the same `Idempotency-Key` and bytes. While a rehearsal of the key is running, this returns that one. In LIVE it returns `NOT_FOUND`. Requires the scope `events:write`.',
    by: 'partner',
    body: object({
      minutes: optional(
        whole('How long it lasts, in minutes.', {
          minimum: 1,
          maximum: 60,
          default: 10,
          example: 10,
        }),
      ),
    }),
    gives: { 201: ['The rehearsal, which takes effect within seconds.', RehearsalResponse] },
    errors: { 400: refused.BadQuestion, 404: refused.NotFound },
  }),
  get('/api/v1/partner/test/rehearsals/{rehearsalId}', {
    id: 'getRehearsal',
    summary: 'Retrieve a rehearsal and its report',
    description:
      'Returns a rehearsal of the TEST key that signs the request, with its report so far. It is kept for 90 days. Requires the scope `events:read`.',
    by: 'partner',
    parameters: [
      inPath(
        'rehearsalId',
        'The id of the rehearsal, `rhs_…`.',
        text(undefined, { example: 'rhs_01K7ZS5C8N2Q6R9T3V7X1B4D0F' }),
      ),
    ],
    gives: { 200: ['The rehearsal.', RehearsalResponse] },
    errors: { 400: refused.UnexpectedQuery, 404: refused.NotFound },
  }),
]);
