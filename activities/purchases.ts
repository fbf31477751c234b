import { activityInfo } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import { claimExpiry } from '../domain/claim-window.ts';
import type { EarningRule } from '../domain/earning-rules.ts';
import {
  type Answered,
  type Origin,
  type PurchaseCommand,
  type RecordedPurchase,
  type RefundCommand,
  type Refused,
  type RewardSnapshot,
  walletIdOf,
  walletOf,
} from '../domain/events.ts';
import { computePoints } from '../domain/points.ts';
import { liabilityCentsOf } from '../domain/postings.ts';
import { refusals } from '../domain/refusals.ts';
import { applyMove, initialState, refundStatusOf } from '../domain/reward-states.ts';
import { insertOnce } from '../models/insert-once.ts';
import { findEarlierEvents } from '../models/order-events.ts';
import { toSnapshot } from '../models/rewards.ts';
import { toEarningRule } from '../models/rules.ts';
import type { OrderEventDoc, PurchaseFacts } from '../models/schemas/order-event.ts';
import { networkOf } from '../platform/addresses.ts';
import { newId, reviewIdOf } from '../platform/ids.ts';
import type { ActivityDeps } from './deps.ts';

/** How often two purchases of one customer may race for the same place in the day before we wait. */
const maxCustomerDayRaces = 20;
/** Rule versions are immutable, so that a cached one is never stale. */
const maxCachedRules = 1_000;

/** The activities that record what partners report. Each may run twice, each is safe to repeat. */
export function eventActivities({ models, reviewDueMs, settle }: ActivityDeps) {
  const rules = new LRUCache<string, EarningRule>({ max: maxCachedRules });

  async function ruleOf(command: PurchaseCommand): Promise<EarningRule> {
    const cached = rules.get(command.ruleId);
    if (cached) return cached;
    const { partnerId, ruleId } = command;
    const doc = await models.earningRules.findOne({ partnerId, _id: ruleId }).lean().orFail();
    const rule = toEarningRule(doc);
    rules.set(ruleId, rule);
    return rule;
  }

  /** What the customer's day holds so far: the newest event of the chain. */
  async function customerDayHead(partnerId: string, key: string) {
    const newest = await models.orderEvents
      .findOne({ partnerId, 'purchase.customerDay.key': key })
      .sort({ 'purchase.customerDay.seq': -1 })
      .lean();
    return newest?.purchase?.customerDay ?? { key, seq: 0, totalPoints: 0 };
  }

  async function purchaseFacts(
    command: PurchaseCommand,
    rule: EarningRule,
  ): Promise<PurchaseFacts> {
    const cap = rule.capPerCustomerDayPoints;
    const day = command.receivedAt.slice(0, 10);
    const head =
      cap === null
        ? null
        : await customerDayHead(command.partnerId, `${command.mode}/${command.customerKey}/${day}`);
    const left = cap === null || head === null ? null : Math.max(0, cap - head.totalPoints);
    const purchasedAtMs = Date.parse(command.occurredAt ?? command.receivedAt);
    const arithmetic = computePoints(rule, command.subtotalCents, purchasedAtMs, left);
    return {
      currency: command.currency,
      customerKey: command.customerKey,
      claimTokenHash: command.claimTokenHash,
      claimExpiresAt: new Date(claimExpiry(command.receivedAt, rule.claimWindow)),
      arithmetic,
      liabilityCents: liabilityCentsOf(arithmetic.points, rule.pointValueMicros),
      customerDay: head && {
        key: head.key,
        seq: head.seq + 1,
        totalPoints: head.totalPoints + arithmetic.points,
      },
    };
  }

  async function insertIntegrationEvent(command: Origin, event: OrderEventDoc): Promise<void> {
    await insertOnce(() =>
      models.integrationEvents.create({
        _id: newId('integrationEvent'),
        partnerId: command.partnerId,
        integrationId: command.integrationId,
        credentialId: command.credentialId,
        mode: command.mode,
        requestId: command.requestId,
        method: 'POST',
        path: event.type === 'PURCHASE' ? '/api/v1/partner/purchases' : '/api/v1/partner/refunds',
        status: event.response.status,
        code: 'ACCEPTED',
        externalOrderId: event.externalOrderId,
        eventId: event._id,
        receivedAt: event.receivedAt,
        address: command.address,
        network: command.address === null ? null : networkOf(command.address),
      }),
    );
  }

  /** The reward of an accepted purchase, made from its event; making it again changes nothing. */
  async function ensureReward(event: OrderEventDoc): Promise<void> {
    const facts = event.purchase;
    if (facts === null) throw new Error(`${event._id} is no purchase`);
    await insertOnce(() =>
      models.rewards.create({
        _id: event.rewardId,
        partnerId: event.partnerId,
        integrationId: event.integrationId,
        mode: event.mode,
        purchaseEventId: event._id,
        externalOrderId: event.externalOrderId,
        workflowId: event.workflowId,
        customerKey: facts.customerKey,
        claimTokenHash: facts.claimTokenHash,
        currency: facts.currency,
        points: facts.arithmetic.points,
        liabilityCents: facts.liabilityCents,
        walletId: walletIdOf(walletOf(event)),
        arithmetic: facts.arithmetic,
        ...initialState,
        claimExpiresAt: facts.claimExpiresAt,
        version: 0,
        moves: [],
        createdAt: event.receivedAt,
        updatedAt: event.receivedAt,
      }),
    );
  }

  async function readBack(event: OrderEventDoc): Promise<RecordedPurchase> {
    const { partnerId, rewardId } = event;
    const reward = await models.rewards.findOne({ partnerId, _id: rewardId }).lean().orFail();
    return {
      kind: 'RECORDED',
      payloadHash: event.payloadHash,
      answer: answeredBy(event),
      reward: toSnapshot(reward),
    };
  }

  return {
    /**
     * Records a purchase: the event first, since its unique indexes decide, then the reward and the
     * integration event. The event holds all that the reward is made from, so that dying in between
     * loses nothing.
     * @returns what was recorded, or the earlier event's refusal (contract, Idempotency)
     */
    async recordPurchase(command: PurchaseCommand): Promise<RecordedPurchase | Refused> {
      const rule = await ruleOf(command);
      const { workflowId } = currentWorkflow();
      for (let race = 0; race < maxCustomerDayRaces; race++) {
        const facts = await purchaseFacts(command, rule);
        const event = purchaseEvent(command, facts, workflowId);
        if (await insertOnce(() => models.orderEvents.create(event))) {
          await Promise.all([ensureReward(event), insertIntegrationEvent(command, event)]);
          return recordedNow(event, facts);
        }
        const { byKey, byExternal } = await findEarlierEvents(models, command, {
          type: 'PURCHASE',
          externalOrderId: command.externalOrderId,
        });
        if (byKey && byKey.payloadHash === command.payloadHash) {
          await Promise.all([
            ensureReward(byKey),
            insertIntegrationEvent(byKeyOrigin(byKey, command), byKey),
          ]);
          return await readBack(byKey);
        }
        if (byKey) return refusals.conflict();
        if (byExternal) return refusals.duplicateOrder(byExternal);
        // Neither: another purchase of this customer took the place in the day. Read it and go again.
      }
      throw new Error('too many purchases of one customer at once');
    },

    /** Picks a purchase up where it stands, for a workflow that is started again. */
    async resumePurchase(ref: {
      partnerId: string;
      purchaseEventId: string;
    }): Promise<RecordedPurchase> {
      const { partnerId, purchaseEventId } = ref;
      const event = await models.orderEvents
        .findOne({ partnerId, _id: purchaseEventId })
        .lean()
        .orFail();
      await ensureReward(event);
      return await readBack(event);
    },

    /**
     * Records a refund with its answer, then moves the reward as the state table says. Dying in
     * between is mended by the repeat: it finds its own event and goes on.
     * @returns the answer and the reward after it
     */
    async recordRefund(
      command: RefundCommand,
      reward: RewardSnapshot,
    ): Promise<{ answer: Answered | Refused; reward: RewardSnapshot }> {
      const after = applyMove(reward, 'REFUND');
      const event = refundEvent(command, { ...reward, ...after }, currentWorkflow().workflowId);
      if (!(await insertOnce(() => models.orderEvents.create(event)))) {
        const { byKey, byExternal } = await findEarlierEvents(models, command, {
          type: 'REFUND',
          externalOrderId: command.externalOrderId,
          externalRefundId: command.externalRefundId,
        });
        if (byKey?._id !== command.eventId) {
          if (byKey?.payloadHash === command.payloadHash)
            return { answer: answeredBy(byKey), reward };
          if (byKey) return { answer: refusals.conflict(), reward };
          if (byExternal) return { answer: refusals.duplicateRefund(byExternal), reward };
          throw new Error(
            `${command.eventId} was refused by an index and no event stands in its way`,
          );
        }
      }
      const review = {
        reviewId: reviewIdOf(command.eventId),
        openedAt: command.receivedAt,
        dueMs: reviewDueMs,
      };
      const [moved] = await Promise.all([
        settle(
          reward,
          'REFUND',
          command.receivedAt,
          reward.status === 'AVAILABLE' ? { review } : {},
        ),
        insertIntegrationEvent(command, event),
      ]);
      return { answer: answeredBy(event), reward: moved };
    },
  };
}

function currentWorkflow(): { workflowId: string } {
  const workflowId = activityInfo().workflowExecution?.workflowId;
  if (workflowId === undefined) throw new Error('this activity belongs to a workflow');
  return { workflowId };
}

function answeredBy(event: OrderEventDoc): Answered {
  const { status, body } = event.response;
  return { kind: 'ANSWERED', status, body, requestId: event.requestId };
}

/** The origin under which an event was first recorded; the address is known where that was this command. */
function byKeyOrigin(event: OrderEventDoc, command: PurchaseCommand): Origin {
  const address = event.requestId === command.requestId ? command.address : null;
  return { ...event, receivedAt: event.receivedAt.toISOString(), address };
}

function commonFields(command: PurchaseCommand | RefundCommand, workflowId: string) {
  return {
    _id: command.eventId,
    partnerId: command.partnerId,
    integrationId: command.integrationId,
    credentialId: command.credentialId,
    mode: command.mode,
    externalOrderId: command.externalOrderId,
    idempotencyKeyHash: command.idempotencyKeyHash,
    payloadHash: command.payloadHash,
    requestId: command.requestId,
    receivedAt: new Date(command.receivedAt),
    occurredAt: command.occurredAt === null ? null : new Date(command.occurredAt),
    sealed: command.sealed,
    workflowId,
  };
}

function purchaseEvent(
  command: PurchaseCommand,
  facts: PurchaseFacts,
  workflowId: string,
): OrderEventDoc {
  const body = {
    success: true,
    mode: command.mode,
    eventId: command.eventId,
    externalOrderId: command.externalOrderId,
    reward: {
      id: command.rewardId,
      points: facts.arithmetic.points,
      status: initialState.status,
      customerStatus: initialState.customerStatus,
      claimExpiresAt: facts.claimExpiresAt.toISOString(),
    },
  };
  return {
    ...commonFields(command, workflowId),
    type: 'PURCHASE',
    rewardId: command.rewardId,
    purchaseEventId: command.eventId,
    response: { status: 201, body: JSON.stringify(body) },
    purchase: facts,
    externalRefundId: null,
  };
}

function refundEvent(
  command: RefundCommand,
  after: RewardSnapshot,
  workflowId: string,
): OrderEventDoc {
  const body = {
    success: true,
    mode: command.mode,
    eventId: command.eventId,
    externalOrderId: command.externalOrderId,
    refund: { externalRefundId: command.externalRefundId, status: refundStatusOf(after) },
    reward: { id: after.rewardId, points: after.points, status: after.status },
  };
  return {
    ...commonFields(command, workflowId),
    type: 'REFUND',
    rewardId: after.rewardId,
    purchaseEventId: after.purchaseEventId,
    response: { status: 201, body: JSON.stringify(body) },
    purchase: null,
    externalRefundId: command.externalRefundId,
  };
}

function recordedNow(event: OrderEventDoc, facts: PurchaseFacts): RecordedPurchase {
  return {
    kind: 'RECORDED',
    payloadHash: event.payloadHash,
    answer: answeredBy(event),
    reward: {
      ...initialState,
      rewardId: event.rewardId,
      partnerId: event.partnerId,
      integrationId: event.integrationId,
      mode: event.mode,
      externalOrderId: event.externalOrderId,
      purchaseEventId: event._id,
      points: facts.arithmetic.points,
      liabilityCents: facts.liabilityCents,
      customerKey: facts.customerKey,
      claimExpiresAt: facts.claimExpiresAt.toISOString(),
      version: 0,
      review: null,
    },
  };
}
