import { randomUUID } from 'node:crypto';
import type { Mode } from '../../domain/mode.ts';
import { scopes } from '../../domain/partners.ts';
import { isFunded, type RewardState } from '../../domain/reward.ts';
import { walletBalances } from '../../models/ledger/index.ts';
import type { ReviewDoc } from '../../models/schemas/reviews.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { claimTokenOf } from './claim-token.ts';
import { eventually } from './eventually.ts';
import { topUpAsOperator } from './ledger-operations.ts';
import { Operator } from './operator.ts';
import { aPurchase, type PartnerBackend, type Reply } from './partner-backend.ts';
import type { PartnerOverrides, Service } from './service.ts';

/** The cost of a reward for `aPurchase`: 499 points at a cent each. */
export const rewardCents = 499;

/** A purchase, with the ids by which a test follows it. */
export interface Bought {
  partner: PartnerBackend;
  externalOrderId: string;
  eventId: string;
  rewardId: string;
}

interface Reviewed {
  reason?: string;
  /** What happens between the claim and the refund. */
  meanwhile?: (rewardId: string) => Promise<void>;
  [ofPurchase: string]: unknown;
}

/** Repeats a request while the response is 503, as clients do. */
const answered = <Asked extends Reply>(ask: () => Promise<Asked>): Promise<Asked> =>
  eventually(async () => {
    const reply = await ask();
    return reply.status !== 503 && reply;
  }, 'the service responds');

/** The people around a service: shops, their customers, an admin. */
export function townOf(service: Service) {
  const { models } = service;
  const admin = new Operator(service, service.adminToken);

  const rewardOf = ({ rewardId }: Bought): Promise<RewardDoc> => service.rewardOf(rewardId);

  async function once(bought: Bought, isExpected: (reward: RewardDoc) => boolean, what: string) {
    return await eventually(async () => {
      const reward = await rewardOf(bought);
      return isExpected(reward) && reward;
    }, what);
  }
  const onceState = (bought: Bought, state: RewardState) =>
    once(bought, (reward) => reward.state === state, `the reward is ${state}`);

  async function buy(partner: PartnerBackend, changes: Record<string, unknown> = {}) {
    const purchase = aPurchase(changes);
    const { body, text } = await partner.purchase(purchase);
    if (!body.success) throw new Error(text);
    const { externalOrderId } = purchase;
    return { partner, externalOrderId, eventId: body.eventId, rewardId: body.reward.id } as Bought;
  }

  /** A purchase whose reward is funded. */
  async function funded(partner: PartnerBackend, changes: Record<string, unknown> = {}) {
    const bought = await buy(partner, changes);
    await once(bought, ({ state }) => isFunded(state), 'the reward is funded');
    return bought;
  }

  async function claim({ eventId }: Pick<Bought, 'eventId'>) {
    const token = await claimTokenOf(service, eventId);
    return await answered(() => service.claim(token));
  }

  /** A purchase whose reward is claimed. */
  async function claimed(partner: PartnerBackend, changes: Record<string, unknown> = {}) {
    const bought = await funded(partner, changes);
    const { status, text } = await claim(bought);
    if (status !== 200) throw new Error(text);
    return bought;
  }

  /** A partner, by default with ample LIVE funds, or without test funding, so that TEST rewards need none. */
  const partner = (mode: Mode, overrides: PartnerOverrides = {}): Promise<PartnerBackend> =>
    service.partner({ mode, fundingCents: mode === 'LIVE' ? 100_000 : 0, ...overrides });

  return {
    admin,
    rewardOf,
    movesOf: async (bought: Bought) => (await rewardOf(bought)).moves.map(({ move }) => move),
    onceState,
    partner,
    buy,
    funded,
    claim,
    claimed,

    /**
     * A purchase whose claim window ends soon after a condition is met. If the machine is too slow for that,
     * the condition is awaited on another purchase with a longer window.
     * @param isFirst the condition, which must be met before the window ends
     * @param firstSeconds the length of the first window
     */
    async boughtBriefly(
      mode: Mode,
      overrides: PartnerOverrides,
      isFirst: (reward: RewardDoc) => boolean,
      firstSeconds = 2,
    ): Promise<Bought> {
      for (let seconds = firstSeconds; ; seconds *= 2) {
        const rule = { claimWindow: `PT${seconds}S` };
        const bought = await buy(await partner(mode, { ...overrides, rule }));
        const isOver = ({ claimExpiresAt }: RewardDoc) =>
          claimExpiresAt.getTime() - Date.now() < 1_000;
        const reward = await once(
          bought,
          (one) => isFirst(one) || isOver(one),
          'the condition is met or the claim window ends',
        );
        if (isFirst(reward) && !isOver(reward)) return bought;
      }
    },

    /** A claimed reward that is refunded. @param changes of the purchase @returns the open review */
    async reviewed(
      partner: PartnerBackend,
      { reason, meanwhile, ...changes }: Reviewed = {},
    ): Promise<ReviewDoc> {
      const { rewardId, externalOrderId } = await claimed(partner, changes);
      await meanwhile?.(rewardId);
      await partner.refund({ externalOrderId, ...(reason !== undefined && { reason }) });
      return await eventually(() => models.reviews.findOne({ rewardId }), 'a review opens');
    },

    /** A LIVE partner with all scopes whose customer, the one of `aPurchase`, has claimed 1,000 points worth 10.00. */
    async withPoints(overrides: PartnerOverrides = {}): Promise<PartnerBackend> {
      const rich = { mode: 'LIVE' as const, fundingCents: 5_000, scopes: [...scopes] };
      const shop = await service.partner({ ...rich, ...overrides });
      await claimed(shop, { order: { subtotalCents: 10_000 } });
      return shop;
    },

    async refund(
      { partner, externalOrderId }: Pick<Bought, 'partner' | 'externalOrderId'>,
      externalRefundId?: string,
      amountCents?: number,
    ) {
      const refund = {
        externalOrderId,
        ...(externalRefundId && { externalRefundId }),
        ...(amountCents !== undefined && { amountCents }),
      };
      const idempotencyKey = randomUUID();
      return await answered(() => partner.refund(refund, { idempotencyKey }));
    },

    /** The shop ends the hold of an order. */
    release: ({ partner, externalOrderId }: Pick<Bought, 'partner' | 'externalOrderId'>) =>
      answered(() =>
        partner.send({}, { path: `/api/v1/partner/orders/${externalOrderId}/release` }),
      ),

    /** The open review of a reward, once its workflow waits for operators. */
    async reviewOf({ rewardId }: Bought): Promise<string> {
      const review = await eventually(
        () => models.reviews.findOne({ rewardId, status: 'OPEN' }),
        'a review opens',
      );
      const { _id: reviewId, workflowId } = review;
      await eventually(async () => {
        const { raw } = await service.temporal.workflow.getHandle(workflowId).describe();
        return raw.pendingActivities?.some(({ activityId }) => activityId === reviewId);
      }, 'the workflow waits for operators');
      return reviewId;
    },

    async decide(reviewId: string, decision: 'UPHOLD' | 'DISMISS') {
      const body = { decision, reasonCode: 'OTHER', reason: 'as the shop says' };
      return await answered(() => admin.post(`/reviews/${reviewId}/decision`, body));
    },

    /** An operator claims or expires a TEST reward at once. */
    setTestClock: ({ rewardId }: Bought, move: 'CLAIM' | 'MATURE' | 'EXPIRE') =>
      admin.post(`/rewards/${rewardId}/test-clock`, { move }),

    async topUp({ partnerId, mode }: PartnerBackend, amountCents: number) {
      await topUpAsOperator(service, { partnerId, mode }, amountCents);
    },

    /** A wallet's balances, once all workflows have acted on what happened. */
    async wallet({ partnerId, mode }: PartnerBackend) {
      await service.carriedOut({ partnerId });
      const { isUnlimited: _, ...money } = await walletBalances(service.models, {
        partnerId,
        mode,
      });
      return money;
    },

    /** The newest run of a purchase's workflow. */
    async workflowOf(bought: Bought) {
      return service.temporal.workflow.getHandle((await rewardOf(bought)).workflowId);
    },

    /** Waits until the purchase's workflow has closed. */
    async closed(bought: Bought): Promise<void> {
      const { workflowId } = await rewardOf(bought);
      await eventually(async () => {
        const { status } = await service.temporal.workflow.getHandle(workflowId).describe();
        return status.name === 'COMPLETED';
      }, 'the workflow closes');
    },
  };
}

export type Town = ReturnType<typeof townOf>;
