import type { Header } from './openapi.ts';
import { only, text } from './shapes.ts';

/** The headers of responses. */
export const headers = {
  RequestId: {
    description:
      'Identifies this request in the request log. Quote it when you ask about the request.',
    required: true,
    schema: text(undefined, { pattern: '^req_', example: 'req_01K7ZQ8Y4T6V9X2B5D8F1H3K7M' }),
  },
  RateLimitPolicy: {
    description:
      'The rate limit that all of your keys of this mode share, by the IETF draft: `q` requests in `w` seconds.',
    required: true,
    schema: text(),
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description:
      'How much of the limit remains, by the IETF draft: `r` requests in the next `t` seconds.',
    required: true,
    schema: text(),
    example: '"default";r=599;t=60',
  },
  IdempotentReplayed: {
    description: '`true` if this response was stored by an earlier request; absent otherwise.',
    schema: { type: 'string', ...only('true') },
  },
  RetryAfter: {
    description: 'How many seconds to wait before you send the request again.',
    required: true,
    schema: text(undefined, { pattern: '^[0-9]+$', example: '2' }),
  },
} as const satisfies Record<string, Header>;
