import Joi from 'joi';
import { type Answer, refused } from '../../domain/answers.ts';
import { isCurrency } from '../../domain/currencies.ts';
import { isEmail, maxEmailChars } from '../../domain/email.ts';
import { ServiceError } from '../../domain/errors.ts';
import { maxSubtotalCents } from '../../domain/points.ts';
import {
  canHaveHappened,
  defaultRefundId,
  hasAtMost,
  isInstant,
  isNameable,
  maxExternalIdChars,
  metadataProblem,
  type Origin,
  type PurchaseRequest,
  type RefundRequest,
} from '../../domain/purchase.ts';
import type { EventsDeps } from '../../events/deps.ts';
import { reportPurchase } from '../../events/purchase.ts';
import { reportRefund } from '../../events/refund.ts';
import { type ApiContext, type BodyHandler, requireState } from '../context.ts';

/** The status of the response to a new event and to its replays (docs/integrate/requests.md, Responses). */
const createdStatus = 201;

/** The sender of an event, and what identifies its retries. */
export function originOf(ctx: ApiContext, nowMs: number, status = createdStatus): Origin {
  const { partnerId, integrationId, credentialId, mode } = requireState(ctx, 'principal');
  const receivedAt = new Date(nowMs);
  ctx.state.receivedAt = receivedAt;
  return {
    partnerId,
    integrationId,
    credentialId,
    mode,
    requestId: ctx.state.requestId,
    idempotencyKeyHash: requireState(ctx, 'idempotencyKeyHash'),
    payloadHash: requireState(ctx, 'payloadHash'),
    receivedAt: receivedAt.toISOString(),
    request: { method: ctx.method, path: requireState(ctx, 'route'), status },
  };
}

/**
 * Sends the stored response, byte for byte. For any request but the one that recorded the event, it is
 * a replay (docs/integrate/idempotency.md, Idempotency).
 * @throws ServiceError for a refusal
 */
export function respond(ctx: ApiContext, answer: Answer, status = createdStatus): void {
  if (answer.kind === 'REFUSED') throw refused(answer);
  const replayed = answer.requestId !== ctx.state.requestId;
  if (replayed) ctx.set('Idempotent-Replayed', 'true');
  ctx.state.code = replayed ? 'REPLAYED' : 'ACCEPTED';
  ctx.state.eventId = answer.eventId;
  if (answer.externalOrderId !== null) ctx.state.externalOrderId = answer.externalOrderId;
  ctx.status = status;
  ctx.type = 'application/json';
  ctx.body = answer.body;
}

/** POST /api/v1/partner/purchases: creates a purchase event, or replays its stored response. */
export function postPurchase(
  deps: EventsDeps & { now: () => number },
): BodyHandler<PurchaseRequest> {
  return async (ctx, request) => {
    ctx.state.externalOrderId = request.externalOrderId;
    const terms = requireState(ctx, 'principal');
    respond(ctx, await reportPurchase(deps, originOf(ctx, deps.now()), request, terms));
  };
}

/** The fields that purchases and refunds share (docs/integrate/requests.md, Requests). */

/** Counts characters as the API reference does; Joi's own `max` counts UTF-16 code units. */
export const atMost =
  (maxChars: number) =>
  (value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport =>
    hasAtMost(maxChars, value) ? value : helpers.error('string.max', { limit: maxChars });

const printable = (value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport =>
  isNameable(value) ? value : helpers.error('id.characters');
const idMessages = {
  'id.characters': '{{#label}} must not contain control characters, or be . or ..',
};

export const externalId = Joi.string()
  .min(1)
  .custom(atMost(maxExternalIdChars))
  .custom(printable)
  .messages(idMessages);

/** ISO 8601 with a timezone offset, within what can have happened. */
export const occurredAt = Joi.string()
  .custom((value: string, helpers) => {
    if (!isInstant(value)) return helpers.error('date.offset');
    const { nowMs } = helpers.prefs.context as { nowMs: number };
    return canHaveHappened(value, nowMs) ? value : helpers.error('date.range');
  })
  .messages({
    'date.range': '{{#label}} must be between 1970 and tomorrow',
    'date.offset':
      '{{#label}} must be an ISO 8601 date-time with a timezone offset, such as 2026-01-31T09:30:00+01:00',
  });

/** @param allowCostFields false for purchases, whose metadata must not contain the partner's costs */
export const metadata = ({ allowCostFields }: { allowCostFields: boolean }) =>
  Joi.object()
    .unknown(true)
    .custom((value: Record<string, unknown>) => {
      const problem = metadataProblem(value, { allowCostFields });
      if (problem) throw new ServiceError(problem.code, problem.message);
      return value;
    });

export const wellFormed = (value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport =>
  value.isWellFormed() ? value : helpers.error('string.base');

const invisible = /[\p{Cc}\p{Cf}\p{DI}\u2800]/u;

/** A valid email address, possibly surrounded by blanks, or a blank string. */
const email = Joi.string()
  .allow('')
  .custom(atMost(maxEmailChars))
  .custom((value: string, helpers) => {
    if (isEmail(value)) return value;
    return helpers.error(invisible.test(value.trim()) ? 'email.invisible' : 'string.email');
  })
  .messages({
    'string.email': '{{#label}} must be a valid email address or blank',
    'email.invisible': '{{#label}} must not contain invisible or control characters',
  });

/** What it identifies depends on the partner's country (domain/customer.ts). */
const phone = Joi.string().allow('').custom(atMost(32)).custom(wellFormed);

/** Whether a field is given. A value of another type than text counts as given, and is refused for its type. */
const isPresent = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() !== '' : value !== undefined;

/** An optional field, for which null stands for absent. */
export const optionalField = <S extends Joi.AnySchema>(schema: S): S => schema.empty(null) as S;

const currency = Joi.string()
  .custom((value: string, helpers) => (isCurrency(value) ? value : helpers.error('currency')))
  .messages({ currency: '{{#label}} must be a three-letter currency code of ISO 4217' });

/** Who somebody is: at least one of email and phone. */
export const customerSchema = Joi.object({
  email: optionalField(email),
  phone: optionalField(phone),
})
  .custom((value: PurchaseRequest['customer'], helpers) =>
    isPresent(value.email) || isPresent(value.phone) ? value : helpers.error('customer.none'),
  )
  .messages({ 'customer.none': 'customer.email or customer.phone is required' });

export const orderSchema = Joi.object({
  subtotalCents: Joi.number().integer().min(0).max(maxSubtotalCents).required(),
  currency: optionalField(currency),
});

export const purchaseRequestSchema = Joi.object<PurchaseRequest, true>({
  externalOrderId: externalId.required(),
  customer: customerSchema.required(),
  order: orderSchema.required(),
  occurredAt: optionalField(occurredAt),
  metadata: optionalField(metadata({ allowCostFields: false })),
})
  .required()
  .label('body');

/** POST /api/v1/partner/refunds: creates a refund event, or replays its stored response. */
export function postRefund(deps: EventsDeps & { now: () => number }): BodyHandler<RefundRequest> {
  return async (ctx, request) => {
    ctx.state.externalOrderId = request.externalOrderId;
    const terms = requireState(ctx, 'principal');
    respond(ctx, await reportRefund(deps, originOf(ctx, deps.now()), request, terms));
  };
}

/** Takes the default, too, which can be longer than other ids. */
const externalRefundId = Joi.string()
  .min(1)
  .custom((value: string, helpers) => {
    const { externalOrderId } = helpers.state.ancestors[0] as { externalOrderId: unknown };
    const isDefault = value === defaultRefundId(String(externalOrderId));
    return isDefault ? value : atMost(maxExternalIdChars)(value, helpers);
  })
  .custom(printable)
  .messages(idMessages);

export const refundRequestSchema = Joi.object<RefundRequest, true>({
  externalOrderId: externalId.required(),
  externalRefundId: optionalField(externalRefundId),
  amountCents: optionalField(Joi.number().integer().min(1).max(maxSubtotalCents)),
  reason: optionalField(Joi.string().allow('').custom(atMost(500)).custom(wellFormed)),
  occurredAt: optionalField(occurredAt),
  metadata: optionalField(metadata({ allowCostFields: true })),
})
  .with('amountCents', 'externalRefundId')
  .messages({
    'object.with':
      'externalRefundId is required with amountCents: each refund of a part needs an id of its own',
  })
  .required()
  .label('body');
