export type { AnswerMeta } from './answer.ts';
export { type Bytes, headerNames, type SignedRequest } from './canonical.ts';
export * from './client.ts';
export * from './errors.ts';
export { idempotencyKeyOf } from './idempotency-key.ts';
export type { RateLimit } from './rate-limit.ts';
export { signRequest } from './sign-request.ts';
export type * from './types.ts';
export {
  signWebhook,
  verifyWebhook,
  type WebhookErrorCode,
  type WebhookHeaders,
  type WebhookOptions,
  WebhookVerificationError,
} from './webhook.ts';
export type * from './webhook-events.ts';
