import { randomUUID } from 'node:crypto';
import type { WalletRef } from '../../domain/postings.ts';
import { reviewIdOf } from '../../domain/review.ts';
import { reportPurchase } from '../../events/purchase.ts';
import { reportRefund } from '../../events/refund.ts';
import { requireReward } from '../../models/rewards/find-reward.ts';
import { toEarningRule } from '../../models/rewards/rules.ts';
import type { OrderEventDoc } from '../../models/schemas/events.ts';
import type { ReviewDoc } from '../../models/schemas/reviews.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { OperationDeps } from '../../operations/deps.ts';
import { createRule } from '../../operations/earning-rules.ts';
import { createIntegration } from '../../operations/integrations.ts';
import { claimReward } from '../../operations/rewards.ts';
import { operate } from './operate.ts';
import { anOrigin } from './reports.ts';

/** A claimed reward that was refunded, with what the shop reported and the open review. */
export interface Reviewed {
  purchase: OrderEventDoc;
  refund: OrderEventDoc;
  reward: RewardDoc;
  review: ReviewDoc;
}

/** What a shop reports; a test changes what it is about. */
interface Reported {
  /** The integration's name. */
  shop?: string;
  externalOrderId?: string;
  /** Of the refund. */
  reason?: string;
}

type Deps = Pick<OperationDeps, 'config' | 'models' | 'commit' | 'sealer' | 'now'>;

/**
 * The people around a database without a service: what they report is committed as it is by the API, and no workflow
 * starts. Each purchase is another customer's, of 49.90, for 499 points worth 4.99; a LIVE one needs funds.
 */
export function townIn(deps: Deps) {
  const { models, now } = deps;

  const ruleOf = async ({ partnerId, mode }: WalletRef) => {
    const perDollar = { kind: 'PER_AMOUNT', points: 10, unitCents: 100 } as const;
    const fields = { partnerId, mode, currency: 'USD', ...perDollar };
    const rule = await models.earningRules.findOne(fields);
    return toEarningRule(rule ?? (await operate(deps, createRule, fields)));
  };

  // Reused, because the number of integrations per partner is limited.
  const integrationOf = async ({ partnerId }: WalletRef, name: string) => {
    const found = await models.integrations.findOne({ partnerId, name });
    return found ?? (await operate(deps, createIntegration, { partnerId, name }));
  };

  const originOf = ({ partnerId, mode }: WalletRef, integrationId: string) => {
    const receivedAt = new Date(now()).toISOString();
    return anOrigin({ partnerId, mode, integrationId }, randomUUID(), { receivedAt });
  };

  const reportedAbout = (rewardId: string, type: OrderEventDoc['type']) =>
    models.orderEvents.findOne({ rewardId, type }).orFail();

  async function buy(wallet: WalletRef, reported: Reported): Promise<OrderEventDoc> {
    const { shop = 'web shop', externalOrderId = randomUUID() } = reported;
    const { _id: integrationId } = await integrationOf(wallet, shop);
    const email = `${randomUUID()}@customers.example`;
    const order = { subtotalCents: 4_990, currency: 'USD' };
    const rules = [await ruleOf(wallet)];
    const terms = { rules, country: 'US', delivery: 'SERVICE', timeZone: 'UTC' } as const;
    const purchase = { externalOrderId, customer: { email }, order };
    const answer = await reportPurchase(deps, originOf(wallet, integrationId), purchase, terms);
    if (answer.kind !== 'ANSWERED') throw new Error(answer.message);
    return await models.orderEvents.findById(answer.eventId).orFail();
  }

  /** A purchase whose reward is claimed. */
  async function claimed(wallet: WalletRef, reported: Reported = {}): Promise<RewardDoc> {
    const { rewardId } = await buy(wallet, reported);
    const found = await requireReward(models, rewardId);
    const reward = await claimReward(deps, found, { at: new Date(now()) });
    if (reward.state !== 'AVAILABLE') throw new Error(`the reward is ${reward.state}`);
    return reward;
  }

  /** A claimed reward that is refunded. */
  async function reviewed(wallet: WalletRef, reported: Reported = {}): Promise<Reviewed> {
    const { reason = 'it came back' } = reported;
    const { _id: rewardId, integrationId, externalOrderId } = await claimed(wallet, reported);
    const origin = originOf(wallet, integrationId);
    await reportRefund(deps, origin, { externalOrderId, reason }, { hasRefundPolicy: false });
    const refund = await reportedAbout(rewardId, 'REFUND');
    return {
      purchase: await reportedAbout(rewardId, 'PURCHASE'),
      refund,
      reward: await models.rewards.findById(rewardId).orFail(),
      review: await models.reviews.findById(reviewIdOf(refund._id)).orFail(),
    };
  }

  return { claimed, reviewed };
}
