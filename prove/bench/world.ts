import pMap from 'p-map';
import { createActivities } from '../../activities/index.ts';
import { createCheckpoints } from '../../audit/checkpoints.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import type { Origin } from '../../domain/purchase.ts';
import { type PurchaseTerms, reportPurchase } from '../../events/purchase.ts';
import { reportRefund } from '../../events/refund.ts';
import { toEarningRule } from '../../models/rewards/rules.ts';
import { claimReward } from '../../operations/rewards.ts';
import { createRequestHashes } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import type { Bench } from './harness.ts';
import type { BenchPartner } from './partners.ts';

/** Enough that facts of one wallet come together. */
const atOnce = 500;
const block = 5_000;

/** A purchase and its ids in the database. */
export interface MadePurchase {
  origin: Origin;
  purchaseEventId: string;
  rewardId: string;
  externalOrderId: string;
}

export type BenchWorld = Awaited<ReturnType<typeof createWorld>>;

/**
 * Partners and many purchases, made by the functions of the API and the worker without HTTP and Temporal.
 * Half of all are the first partner's. Of a hundred, ten are claimed, five refunded, and five refunded after
 * their claim, which opens a review; the others wait for their customers.
 */
export async function createWorld({ service, openPartner, log }: Bench, partnersCount: number) {
  const { deps } = service;
  const { models, config } = deps;
  const hashes = createRequestHashes(config.customerHashKey);
  const at = () => new Date().toISOString();
  const activities = createActivities({
    ...deps,
    messenger: {
      startJob: async () => undefined,
      startPointsLink: async () => undefined,
      startPointsEnd: async () => undefined,
      startSendAgain: async () => undefined,
      startPurchase: async () => undefined,
    },
    workflows: { isProgressing: async () => true, hasBegun: async () => true },
    auditLog: async () => undefined,
    checkpoints: createCheckpoints(config.customerHashKey, async () => undefined),
    sendMessage: async () => undefined,
    sendMessageAtOnce: async () => undefined,
    portalUrl: '',
    contactRetentionDays: 1,
    databaseTime: async (notBefore = new Date()) => notBefore,
    reconciliation: { afterMs: 0, perSecond: 100, maxInFlight: 4, maxNotStarted: 25 },
    repairConnection: async () => null,
    postWebhook: () => async () => {
      throw new Error('the bench sends no webhooks here');
    },
  });
  const shops: Shop[] = [];
  for (let nth = 0; nth < partnersCount; nth++) {
    const partner = await openPartner(`Shop ${nth}`);
    const [test, live] = await Promise.all(modes.map((mode) => termsOf(partner.ruleIds[mode])));
    shops.push({ ...partner, terms: { TEST: test, LIVE: live } as Shop['terms'] });
  }
  const first = shops[0] as Shop;
  const shopOf = (nth: number): Shop =>
    nth % 2 === 0 ? first : (shops[1 + ((nth >> 1) % (partnersCount - 1))] as Shop);

  async function termsOf(ruleId: string): Promise<PurchaseTerms> {
    const rule = await models.earningRules.findById(ruleId).orFail();
    return { rules: [toEarningRule(rule)], country: 'US', delivery: 'SERVICE', timeZone: 'UTC' };
  }

  function originOf({ partnerId, integrationId }: BenchPartner, mode: Mode, key: string): Origin {
    return {
      partnerId,
      integrationId,
      mode,
      credentialId: `key_${integrationId}_${mode}`,
      requestId: newId('request'),
      idempotencyKeyHash: hashes.ofIdempotencyKey(key),
      payloadHash: hashes.ofIdempotencyKey(`payload of ${key}`),
      receivedAt: at(),
      request: { method: 'POST', path: '/api/v1/partner/purchases', status: 201 },
    };
  }

  async function buy(shop: Shop, mode: Mode, externalOrderId: string) {
    const origin = originOf(shop, mode, externalOrderId);
    const request = {
      externalOrderId,
      customer: { email: `${externalOrderId}@customers.example` },
      order: { subtotalCents: 1_000, currency: 'USD' },
    };
    const answer = await reportPurchase(deps, origin, request, shop.terms[mode]);
    if (answer.kind === 'REFUSED') throw new Error(answer.message);
    const rewardId: string = JSON.parse(answer.body).reward.id;
    return { origin, externalOrderId, purchaseEventId: answer.eventId, rewardId };
  }

  async function refund({ origin, externalOrderId }: MadePurchase): Promise<void> {
    const key = newId('request');
    const own = { ...origin, requestId: key, idempotencyKeyHash: hashes.ofIdempotencyKey(key) };
    const answer = await reportRefund(deps, own, { externalOrderId }, { hasRefundPolicy: false });
    if (answer.kind === 'REFUSED') throw new Error(answer.message);
  }

  const stepInput = () => ({ at: at(), offeredUntil: null });

  async function begin({ origin: { partnerId }, purchaseEventId }: MadePurchase) {
    await activities.begin({ partnerId, purchaseEventId }, stepInput());
  }

  async function claim({ origin: { partnerId }, rewardId }: MadePurchase) {
    const reward = await models.rewards.findOne({ partnerId, _id: rewardId }).orFail();
    await claimReward(deps, reward, { at: new Date() });
  }

  async function look({ origin: { partnerId }, purchaseEventId }: MadePurchase) {
    await activities.look({ partnerId, purchaseEventId }, stepInput());
  }

  async function makeOne(nth: number): Promise<void> {
    const bought = await buy(shopOf(nth), nth % 10 < 7 ? 'LIVE' : 'TEST', `order-${nth}`);
    await begin(bought);
    const fate = Math.floor(nth / 10) % 20;
    if (fate > 3) return;
    if (fate > 0) await claim(bought);
    if (fate < 2) await refund(bought);
    await look(bought);
  }

  return {
    first,
    activities,
    begin,
    claim,
    look,
    refund,
    /** A purchase of the first partner. */
    buyOne: () => buy(first, 'LIVE', newId('request')),
    /** Sends a purchase again. */
    replay: (externalOrderId: string) => buy(first, 'LIVE', externalOrderId),
    /** The order id of a purchase, by number; even ones are the first partner's. */
    orderOf: (nth: number) => `order-${nth}`,
    /** Makes the purchases with these numbers. */
    async fill(from: number, to: number): Promise<void> {
      for (let start = from; start < to; start += block) {
        const end = Math.min(to, start + block);
        const numbers = Array.from({ length: end - start }, (_, index) => start + index);
        await pMap(numbers, makeOne, { concurrency: atOnce });
        log(`  ${end} purchases`);
      }
    },
  };
}

interface Shop extends BenchPartner {
  terms: Record<Mode, PurchaseTerms>;
}
