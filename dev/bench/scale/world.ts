import { createActivities } from '../../../activities/index.ts';
import type { Mode } from '../../../domain/mode.ts';
import type { Origin } from '../../../domain/request.ts';
import type { EventsDeps } from '../../../events/deps.ts';
import { type PurchaseTerms, reportPurchase } from '../../../events/purchase.ts';
import { reportRefund } from '../../../events/refund.ts';
import { createCheckpoints } from '../../../models/audit/checkpoints.ts';
import { createInsertEvent } from '../../../models/events/insert-event.ts';
import { createEarlierEvents } from '../../../models/events/order-events.ts';
import { createBatchedRewards } from '../../../models/rewards/batched-rewards.ts';
import { claimReward } from '../../../models/rewards/reward-moves.ts';
import { toEarningRule } from '../../../models/rewards/rules.ts';
import { createAnnounce } from '../../../models/webhooks/announce.ts';
import { system } from '../../../operations/actor.ts';
import { activateRule } from '../../../operations/earning-rules/activate.ts';
import { createRule } from '../../../operations/earning-rules/create.ts';
import { execute } from '../../../operations/execute.ts';
import { createIntegration } from '../../../operations/integrations/create.ts';
import { createPartner } from '../../../operations/partners/create.ts';
import { subscribe } from '../../../operations/subscriptions/create.ts';
import { newId } from '../../../platform/ids.ts';
import type { PortalDeps } from '../../../portal/deps.ts';
import { giveFirstFunds } from '../../first-funds.ts';
import { profileOf } from '../../go-live.ts';
import { seedPlans } from '../../seed-plans.ts';
import { hashes, hashKey } from '../portal-pages.ts';
import { createBulkFill, type PurchaseOutcome } from './bulk-fill.ts';

const fewPartners = 20;
const fundingCents = 100_000_000;

interface BenchShop {
  partnerId: string;
  integrationId: string;
  terms: Record<Mode, PurchaseTerms>;
}

/** A purchase and its ids in the database. */
export interface MadePurchase {
  origin: Origin;
  externalOrderId: string;
  purchaseEventId: string;
  rewardId: string;
}

export type PurchaseWorld = Awaited<ReturnType<typeof createPurchaseWorld>>;

/**
 * Partners and their purchases, created by the functions of the API and the worker, without Temporal, which
 * would call the same ones. Half of all purchases are the first partner's. Of a hundred, ten are claimed and
 * ten refunded; the others wait for their customers.
 */
export async function createPurchaseWorld(deps: PortalDeps, partnersCount = fewPartners) {
  const { models, ledger, usage, sealer, config } = deps;
  const fillTogether = createBulkFill(deps);
  const now = Date.now;
  const at = () => new Date(now()).toISOString();
  const messenger = {
    wakeWallet: async () => undefined,
    signalPurchase: async () => undefined,
    completeReview: async () => true,
    startJob: async () => undefined,
    startPointsLink: async () => undefined,
    startPurchase: async () => undefined,
  };
  const newEvents = (): EventsDeps => ({
    config,
    models,
    sealer,
    now,
    earlierEvents: createEarlierEvents(models),
    insertEvent: createInsertEvent(models),
    rewards: createBatchedRewards(models),
  });
  const events = newEvents();
  const activities = createActivities({
    models,
    ledger,
    usage,
    sealer,
    messenger,
    now,
    workflows: { isProgressing: async () => true, hasBegun: async () => true },
    checkpoints: createCheckpoints(hashKey, async () => undefined),
    reconciliation: { afterMs: 0, perSecond: 1, maxInFlight: 1, maxUnbegun: 1 },
    sendMessage: async () => undefined,
    sendMessageAtOnce: async () => undefined,
    config: { issuer: null },
    portalUrl: '',
    reviewDueMs: 1,
    contactRetentionDays: 1,
    // As in the worker, but without waiting for full batches: here requests come together.
    batchOptions: { maxBatch: 100, maxWaitMs: 5 },
    announce: createAnnounce(models),
    postWebhook: () => async () => {
      throw new Error('the bench sends no webhooks');
    },
  });
  const { scale } = await seedPlans(deps);
  const shops: BenchShop[] = [];
  for (let nth = 0; nth < partnersCount; nth++) shops.push(await openShop(`Shop ${nth}`));

  async function openShop(name: string): Promise<BenchShop> {
    const { _id: partnerId } = await execute(deps, createPartner, system('seed'), profileOf(name));
    const wanted = { partnerId, planVersionId: scale, interval: 'MONTH' } as const;
    await execute(deps, subscribe, system('seed'), wanted);
    const { _id: integrationId } = await execute(deps, createIntegration, system('seed'), {
      partnerId,
      name: 'shop',
    });
    const termsOf = async (mode: Mode): Promise<PurchaseTerms> => {
      const fields = { partnerId, mode, currency: 'USD', kind: 'FIXED', points: 1 } as const;
      const { _id: ruleId } = await execute(deps, createRule, system('seed'), fields);
      await execute(deps, activateRule, system('seed'), { ruleId });
      const wallet =
        mode === 'LIVE' ? { mode, partnerId } : ({ mode, partnerId, integrationId } as const);
      await giveFirstFunds({ ...deps, ledger }, wallet, fundingCents);
      const rule = await models.earningRules.findById(ruleId).lean().orFail();
      return { rules: [toEarningRule(rule)], country: 'US', delivery: 'SERVICE' };
    };
    const terms = { LIVE: await termsOf('LIVE'), TEST: await termsOf('TEST') };
    return { partnerId, integrationId, terms };
  }

  const shopOf = (nth: number): BenchShop =>
    shops[nth % 2 === 0 ? 0 : 1 + ((nth >> 1) % (partnersCount - 1))] as BenchShop;
  const first = shops[0] as BenchShop;
  const incomplete: MadePurchase[] = [];

  function originOf({ partnerId, integrationId }: BenchShop, mode: Mode, key: string): Origin {
    return {
      partnerId,
      integrationId,
      mode,
      credentialId: `key_${integrationId}_${mode}`,
      requestId: newId('request'),
      idempotencyKeyHash: hashes.ofIdempotencyKey(key),
      payloadHash: hashes.ofIdempotencyKey(`payload of ${key}`),
      receivedAt: at(),
      address: null,
      request: { method: 'POST', path: '/api/v1/partner/purchases', status: 201 },
    };
  }

  const requestOf = (externalOrderId: string) => ({
    externalOrderId,
    customer: { email: `${externalOrderId}@customers.example` },
    order: { subtotalCents: 1_000, currency: 'USD' },
  });

  async function buy(shop: BenchShop, mode: Mode, externalOrderId: string): Promise<MadePurchase> {
    const origin = originOf(shop, mode, externalOrderId);
    const request = requestOf(externalOrderId);
    const answer = await reportPurchase(events, origin, request, shop.terms[mode]);
    if (answer.kind === 'REFUSED') throw new Error(answer.message);
    const { reward } = JSON.parse(answer.body);
    return { origin, externalOrderId, purchaseEventId: answer.eventId, rewardId: reward.id };
  }

  async function refund({ origin, externalOrderId }: MadePurchase) {
    const { partnerId, integrationId, mode } = origin;
    const own = originOf({ partnerId, integrationId, terms: first.terms }, mode, newId('request'));
    const answer = await reportRefund(events, own, { externalOrderId });
    if (answer.kind === 'REFUSED') throw new Error(answer.message);
  }

  const stepInput = () => ({ at: at(), offeredUntil: null });

  async function begin({ origin: { partnerId }, purchaseEventId }: MadePurchase) {
    await activities.beginPurchase({ partnerId, purchaseEventId }, stepInput());
  }

  async function claim({ origin: { partnerId }, rewardId }: MadePurchase) {
    const reward = await models.rewards.findOne({ partnerId, _id: rewardId }).lean().orFail();
    await claimReward(models, reward, new Date(), { move: events.rewards.move });
  }

  const carryOut = ({ origin: { partnerId }, purchaseEventId }: MadePurchase) =>
    activities.carryOut({ partnerId, purchaseEventId }, stepInput());

  return {
    first,
    begin,
    claim,
    carryOut,
    refund,
    /** A purchase of the first partner. */
    async buyOne(): Promise<MadePurchase> {
      const bought = await buy(first, 'LIVE', newId('request'));
      incomplete.push(bought);
      return bought;
    },
    /** Completes those purchases, so that nothing waits. */
    async settle(): Promise<void> {
      for (const bought of incomplete.splice(0)) {
        await begin(bought);
        await carryOut(bought);
      }
    },
    /** Replays a purchase in a process without cached responses. */
    async replay(externalOrderId: string): Promise<void> {
      const origin = originOf(first, 'LIVE', externalOrderId);
      const request = { externalOrderId, customer: {}, order: { subtotalCents: 1_000 } };
      const answer = await reportPurchase(newEvents(), origin, request, first.terms.LIVE);
      if (answer.kind === 'REFUSED') throw new Error(answer.message);
    },
    /** The order id of a purchase, by number; even ones are the first partner's. */
    orderOf: (nth: number) => `order-${nth}`,
    /** Creates the purchases with these numbers and their outcomes. */
    async fill(from: number, to: number): Promise<void> {
      const numbers = Array.from({ length: to - from }, (_, nth) => from + nth);
      await fillTogether(
        numbers.map((nth) => {
          const [shop, mode, order] = [shopOf(nth), modeOf(nth), `order-${nth}`];
          return {
            origin: originOf(shop, mode, order),
            request: requestOf(order),
            terms: shop.terms[mode],
            fate: fateOf(nth),
            refundOrigin: originOf(shop, mode, `refund of ${order}`),
          };
        }),
      );
    },
    /** Creates one of them as the API and the worker do; the test compares `fill` with this. */
    async fillOne(nth: number): Promise<void> {
      const bought = await buy(shopOf(nth), modeOf(nth), `order-${nth}`);
      await begin(bought);
      const fate = fateOf(nth);
      if (fate === 'OPEN') return;
      if (fate === 'REFUNDED') await refund(bought);
      else await claim(bought);
      await carryOut(bought);
    },
  };
}

const modeOf = (nth: number): Mode => (nth % 10 < 7 ? 'LIVE' : 'TEST');

function fateOf(nth: number): PurchaseOutcome {
  const of = Math.floor(nth / 10) % 10;
  if (of === 0) return 'REFUNDED';
  return of === 1 ? 'CLAIMED' : 'OPEN';
}
