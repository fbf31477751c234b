import Joi from 'joi';
import { presentRedemption } from '../../domain/answers.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { PurchaseRequest } from '../../domain/purchase.ts';
import {
  type RedemptionAction,
  type RedemptionStatus,
  redemptionStatuses,
} from '../../domain/redemption.ts';
import type { EventsDeps } from '../../events/deps.ts';
import { balanceOf, quote } from '../../events/quotes.ts';
import {
  endRedemption,
  type RedemptionRequest,
  reportRedemption,
} from '../../events/redemptions.ts';
import { findRedemption, findRedemptions } from '../../models/events/redemptions.ts';
import { type ApiMiddleware, type BodyHandler, requireState } from '../context.ts';
import type { ApiDeps } from '../deps.ts';
import type { Principal } from '../principals.ts';
import {
  customerSchema,
  externalId,
  optionalField,
  orderSchema,
  originOf,
  respond,
} from './events.ts';
import {
  changeQueryOf,
  customerOfSearch,
  type ListRequest,
  listParameters,
  listRequestOf,
  nextCursorOf,
  type SearchRequest,
  searchSchema,
} from './lists.ts';

type CheckoutDeps = EventsDeps & { now: () => number };

type QuoteRequest = Pick<PurchaseRequest, 'order'> & Partial<Pick<PurchaseRequest, 'customer'>>;

export const quoteRequestSchema = Joi.object<QuoteRequest, true>({
  order: orderSchema.required(),
  customer: optionalField(customerSchema),
})
  .required()
  .label('body');

/** POST /api/v1/partner/quotes: what a purchase would give now. Stores nothing. */
export function postQuote(deps: CheckoutDeps): BodyHandler<QuoteRequest> {
  return async (ctx, request) => {
    const principal = requireState(ctx, 'principal');
    const quoted = await quote(deps, principal, request, new Date(deps.now()));
    ctx.body = { success: true, mode: principal.mode, ...quoted };
  };
}

type BalanceRequest = Pick<PurchaseRequest, 'customer'>;

export const balanceRequestSchema = Joi.object<BalanceRequest, true>({
  customer: customerSchema.required(),
})
  .required()
  .label('body');

/** POST /api/v1/partner/balances: what a customer can spend; zeros for one who was never seen. */
export function postBalance(deps: CheckoutDeps): BodyHandler<BalanceRequest> {
  return async (ctx, { customer }) => {
    const principal = requireState(ctx, 'principal');
    const balance = await balanceOf(deps, principal, customer, new Date(deps.now()));
    ctx.body = { success: true, mode: principal.mode, ...balance };
  };
}

export const redemptionRequestSchema = Joi.object<RedemptionRequest, true>({
  externalRedemptionId: externalId.required(),
  customer: customerSchema.required(),
  points: optionalField(Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER)),
  amountCents: optionalField(Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER)),
  externalOrderId: optionalField(externalId),
  hold: optionalField(Joi.boolean()),
})
  .xor('points', 'amountCents')
  .messages({
    'object.missing': 'points or amountCents is required',
    'object.xor': 'points and amountCents exclude each other: send one of them',
  })
  .required()
  .label('body');

/** POST /api/v1/partner/redemptions: redeems points, or holds them; or replays the stored response. */
export function postRedemption(deps: CheckoutDeps): BodyHandler<RedemptionRequest> {
  return async (ctx, request) => {
    const { externalOrderId } = request;
    if (externalOrderId !== undefined) ctx.state.externalOrderId = externalOrderId;
    const terms = requireState(ctx, 'principal');
    respond(ctx, await reportRedemption(deps, originOf(ctx, deps.now()), request, terms));
  };
}

/**
 * GET /api/v1/partner/redemptions/{id}: a redemption as it is now.
 * @throws ServiceError NOT_FOUND if it does not exist, or belongs to another integration or mode
 */
export function getRedemption({ models }: Pick<ApiDeps, 'models'>): ApiMiddleware {
  return async (ctx) => {
    const { partnerId, integrationId, mode } = requireState(ctx, 'principal');
    const { redemptionId: _id = '' } = ctx.params;
    const redemption = await findRedemption(models, { partnerId, integrationId, mode, _id });
    if (redemption === null) {
      const message = `You have no redemption with this id in ${mode} mode. Use the id in the response to the redemption.`;
      throw new ServiceError('NOT_FOUND', message);
    }
    ctx.body = { success: true, mode, redemption: presentRedemption(redemption) };
  };
}

const parameters = listParameters<RedemptionStatus>(redemptionStatuses);

/** GET redemptions: those of the credential's integration in its mode, the newest change first. */
export function getRedemptions(deps: ListDeps): ApiMiddleware {
  return async (ctx) => {
    const of = requireState(ctx, 'principal');
    ctx.body = await readRedemptions(deps, of, listRequestOf(ctx, parameters));
  };
}

export const redemptionSearchSchema = searchSchema<RedemptionStatus>(redemptionStatuses);

/** POST redemptions/search: those of a customer, the newest first. Stores nothing. */
export function postRedemptionSearch(deps: ListDeps): BodyHandler<SearchRequest<RedemptionStatus>> {
  return async (ctx, request) => {
    const of = requireState(ctx, 'principal');
    ctx.body = await readRedemptions(deps, of, request, customerOfSearch(deps, of, request));
  };
}

type ListDeps = Pick<ApiDeps, 'models' | 'config'>;

async function readRedemptions(
  { models }: ListDeps,
  { partnerId, integrationId, mode }: Pick<Principal, 'partnerId' | 'integrationId' | 'mode'>,
  { status, ...request }: ListRequest<RedemptionStatus>,
  customerId?: string,
) {
  const of = { partnerId, integrationId, mode };
  const page = await findRedemptions(models, of, { status, customerId }, changeQueryOf(request));
  const redemptions = page.items.map(presentRedemption);
  return { success: true, mode, redemptions, nextCursor: nextCursorOf(page) };
}

type ActionRequest = { points?: number; amountCents?: number };

/** What is done to the whole of it. */
const wholeSchema = Joi.object<ActionRequest>({}).required().label('body');

/** Either of both is a part; without them it is all that is left. */
const partSchema = Joi.object<ActionRequest>({
  points: optionalField(Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER)),
  amountCents: optionalField(Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER)),
})
  .oxor('points', 'amountCents')
  .messages({ 'object.oxor': 'points and amountCents exclude each other: send one of them' })
  .required()
  .label('body');

export const actionSchemas = { CAPTURE: wholeSchema, RELEASE: wholeSchema, REVERSE: partSchema };

/** The status of the response to what is done with a redemption: nothing is created. */
const okStatus = 200;

/** POST /api/v1/partner/redemptions/{id}/capture, /release or /reverse. */
export function postAction(
  deps: CheckoutDeps,
  action: RedemptionAction,
): BodyHandler<ActionRequest> {
  return async (ctx, { points, amountCents }) => {
    const { redemptionId = '' } = ctx.params;
    const origin = originOf(ctx, deps.now(), okStatus);
    const terms = requireState(ctx, 'principal');
    const part =
      points !== undefined ? { points } : amountCents !== undefined ? { amountCents } : undefined;
    const asked = { redemptionId, action, part };
    respond(ctx, await endRedemption(deps, origin, asked, terms), okStatus);
  };
}
