import type { Router } from '@koa/router';
import Joi from 'joi';
import {
  customerStatusOf,
  isFunded,
  type RewardStatus,
  rewardStatuses,
  statesOf,
  statusOf,
} from '../../domain/reward.ts';
import { param } from '../../http/context.ts';
import { given, type PageQuery, pageParameters, readPage, searchText } from '../../http/query.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { type CustomerRef, customerHoldings, findCustomer } from '../../models/ledger/index.ts';
import { requireReward } from '../../models/rewards/find-reward.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { eraseCustomer, redeem } from '../../operations/customers.ts';
import { execute } from '../../operations/execute.ts';
import { shortText } from '../../operations/fields.ts';
import { cancelReward, correctContactOfReward, reinstateReward } from '../../operations/rewards.ts';
import {
  claimTestReward,
  endTestPoints,
  expireTestReward,
  matureTestReward,
  type TestMove,
} from '../../operations/test-clock.ts';
import type { Config } from '../../platform/config.ts';
import { createRequestHashes, type RequestHashes } from '../../platform/hashing.ts';
import { temporalUrl } from '../../temporal/workflows.ts';
import { lookUpCustomers } from '../../views/customers.ts';
import { cancellationReasonOf } from '../../views/rewards.ts';
import type { ApiDeps } from '../deps.ts';
import {
  checkBody,
  checkQuery,
  jsonBody,
  type OperationRoutes,
  type OperatorState,
  operatorActorOf,
  requirePermission,
} from './context.ts';
import { presentEntry } from './money.ts';

interface RewardQuery extends PageQuery {
  order?: string;
  event?: string;
  /** `cus_…` */
  customer?: string;
  reward?: string;
  /** An Idempotency-Key as the partner sent it. */
  key?: string;
  partner?: string;
  status?: RewardStatus;
}

const querySchema = Joi.object<RewardQuery>({
  order: searchText,
  event: searchText,
  // The audit log records this parameter, so it must not be a customer's address.
  customer: Joi.string()
    .pattern(/^cus_[\w-]{32}$/)
    .messages({ 'string.pattern.base': 'customer must be a customer id, cus_…' }),
  reward: searchText,
  key: searchText,
  partner: Joi.string()
    .pattern(/^prt_[0-9A-Z]{26}$/)
    .messages({ 'string.pattern.base': 'partner must be a partner id, prt_…' }),
  status: Joi.string().valid(...rewardStatuses),
  ...pageParameters,
});

const testMoves = {
  CLAIM: claimTestReward,
  MATURE: matureTestReward,
  EXPIRE: expireTestReward,
  END_POINTS: endTestPoints,
} as const satisfies Record<TestMove | 'END_POINTS', unknown>;

const testMoveSchema = Joi.object<{ move: keyof typeof testMoves }>({
  move: Joi.string()
    .valid(...Object.keys(testMoves))
    .required(),
});

/** A reward. Its customer is shown only as a keyed hash. */
function presentReward(config: Config, reward: RewardDoc) {
  return {
    rewardId: reward._id,
    mode: reward.mode,
    partnerId: reward.partnerId,
    integrationId: reward.integrationId,
    externalOrderId: reward.externalOrderId,
    customerId: reward.customerId,
    purchaseEventId: reward.purchaseEventId,
    currency: reward.currency,
    points: reward.points,
    liabilityCents: reward.liabilityCents,
    status: statusOf(reward.state),
    customerStatus: customerStatusOf(reward.state),
    funded: isFunded(reward.state),
    claimExpiresAt: reward.claimExpiresAt,
    claimableFrom: reward.claimableFrom ?? null,
    reviewId: reward.review?.reviewId ?? null,
    createdAt: reward.createdAt,
    updatedAt: reward.updatedAt,
    workflowId: reward.workflowId,
    temporalUrl: temporalUrl(config, reward.workflowId),
  };
}

/**
 * The rewards of an event or of an Idempotency-Key; a refund belongs to the reward of its purchase.
 * @returns undefined if the query filters by neither
 */
async function rewardIdsOf(
  models: Models,
  { ofIdempotencyKey }: RequestHashes,
  { event, key }: RewardQuery,
): Promise<string[] | undefined> {
  if (event === undefined && key === undefined) return undefined;
  const conditions = given({
    _id: event,
    idempotencyKeyHash: key === undefined ? undefined : ofIdempotencyKey(key),
  });
  return await models.orderEvents.distinct('rewardId', { $and: conditions });
}

/** A reward with its arithmetic, its moves, and its cancellation if an operator cancelled it. */
async function presentDetail(deps: ApiDeps, reward: RewardDoc) {
  const { arithmetic, moves, cancellation } = reward;
  return {
    ...presentReward(deps.config, reward),
    arithmetic,
    moves: moves.map(({ state, traceparent: _, ...move }) => ({
      ...move,
      status: statusOf(state),
    })),
    cancellation: cancellation && {
      reason: await cancellationReasonOf(deps, reward),
      operatorId: cancellation.operatorId,
      cancelledAt: cancellation.cancelledAt,
    },
  };
}

export function rewardRoutes(
  router: Router<OperatorState>,
  deps: ApiDeps,
  operations: OperationRoutes,
): void {
  const { models, config } = deps;
  const hashes = createRequestHashes(config.customerHashKey);

  router.get('/rewards', requirePermission('read'), async (ctx) => {
    const query = checkQuery(ctx, querySchema);
    if (query.customer !== undefined) {
      const { customer: targetId, partner: partnerId = null } = query;
      await auditRead(deps, operatorActorOf(ctx), { action: 'customer.read', partnerId, targetId });
    }
    const rewardIds = await rewardIdsOf(models, hashes, query);
    const conditions = [
      ...given({
        externalOrderId: query.order,
        _id: query.reward,
        customerId: query.customer,
        partnerId: query.partner,
        state: query.status && { $in: statesOf(query.status) },
      }),
      ...(rewardIds === undefined ? [] : [{ _id: { $in: rewardIds } }]),
    ];
    ctx.body = await readPage(models.rewards, conditions, query, (doc) =>
      presentReward(config, doc),
    );
  });

  router.get('/rewards/:rewardId', requirePermission('read'), async (ctx) => {
    const reward = await requireReward(models, param(ctx, 'rewardId'));
    if (reward.cancellation) {
      const { _id: targetId, partnerId } = reward;
      await auditRead(deps, operatorActorOf(ctx), { action: 'reward.read', partnerId, targetId });
    }
    ctx.body = await presentDetail(deps, reward);
  });

  operations.route('post', '/rewards/:rewardId/cancellation', cancelReward, {
    body: true,
    respond: async (reward) => ({ status: 200, body: await presentDetail(deps, reward) }),
  });

  operations.route('post', '/rewards/:rewardId/reinstatement', reinstateReward, {
    body: true,
    respond: async (reward) => ({ status: 200, body: await presentDetail(deps, reward) }),
  });

  operations.route('post', '/rewards/:rewardId/contact', correctContactOfReward, {
    body: true,
    respond: async (reward) => ({ status: 200, body: await presentDetail(deps, reward) }),
  });

  router.post(
    '/rewards/:rewardId/test-clock',
    requirePermission('test-clock'),
    jsonBody,
    async (ctx) => {
      const { move } = checkBody(ctx, testMoveSchema);
      const rewardId = param(ctx, 'rewardId');
      const reward = await execute(deps, testMoves[move], operatorActorOf(ctx), { rewardId });
      ctx.body = await presentDetail(deps, reward);
    },
  );
}

const contactSchema = Joi.object<{ email?: string; phone?: string }>({
  email: shortText(320),
  phone: shortText(32),
}).xor('email', 'phone');

/** Customers' balances and redemptions (docs/concepts/money.md), and their erasure. */
export function customerRoutes(
  router: Router<OperatorState>,
  deps: ApiDeps,
  operations: OperationRoutes,
): void {
  const { models, config } = deps;

  router.get('/customers/:customerId', requirePermission('read'), async (ctx) => {
    const customer = await findCustomer(models, param(ctx, 'customerId'));
    const { partnerId, customerId: targetId } = customer;
    await auditRead(deps, operatorActorOf(ctx), { action: 'customer.read', partnerId, targetId });
    ctx.body = await presentCustomer(customer);
  });

  operations.route('post', '/customers/:customerId/redemptions', redeem, {
    body: true,
    async respond({ entry, isNew }, { customerId }) {
      const customer = { partnerId: entry.partnerId, customerId };
      const body = { transaction: presentEntry(entry), customer: await presentCustomer(customer) };
      return { status: isNew ? 201 : 200, body };
    },
  });

  operations.route('post', '/customers/:customerId/erasure', eraseCustomer, {
    body: true,
    respond({ erasure, isNew }) {
      const { _id: erasureId, partnerId, customerId, reference, erasedAt } = erasure;
      const body = { erasureId, partnerId, customerId, reference, erasedAt };
      return { status: isNew ? 201 : 200, body };
    },
  });

  // A POST, because URLs are logged and must not contain a customer's address.
  router.post(
    '/partners/:partnerId/customer-lookup',
    requirePermission('read'),
    jsonBody,
    async (ctx) => {
      const partner = await findPartner(models, param(ctx, 'partnerId'));
      const { _id: partnerId } = partner;
      const contact = checkBody(ctx, contactSchema);
      const looked = await lookUpCustomers(deps, config.customerHashKey, partner, contact);
      // Whoever gave an email with this phone is the customer of the email.
      const customerId = looked.found[0] ?? looked.customerId;
      await auditRead(deps, operatorActorOf(ctx), {
        action: 'customer.read',
        partnerId,
        targetId: customerId,
      });
      ctx.body = { customerId, partnerId };
    },
  );

  async function presentCustomer(customer: CustomerRef) {
    const { partnerId, customerId } = customer;
    return { customerId, partnerId, ...(await customerHoldings(models, customer)) };
  }
}
