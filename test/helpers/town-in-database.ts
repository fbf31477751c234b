import { randomUUID } from 'node:crypto';
import type { WalletRef } from '../../domain/postings.ts';
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

  const integrationOf = async ({ partnerId }: WalletRef) => {
    const name = 'web shop';
    const found = await models.integrations.findOne({ partnerId, name });
    return found ?? (await operate(deps, createIntegration, { partnerId, name }));
  };

  const originOf = async (wallet: WalletRef) => {
    const { _id: integrationId } = await integrationOf(wallet);
    const receivedAt = new Date(now()).toISOString();
    return anOrigin({ ...wallet, integrationId }, randomUUID(), { receivedAt });
  };

  const reportedAbout = (rewardId: string, type: OrderEventDoc['type']) =>
    models.orderEvents.findOne({ rewardId, type }).orFail();

  async function buy(wallet: WalletRef): Promise<OrderEventDoc> {
    const externalOrderId = randomUUID();
    const email = `${externalOrderId}@customers.example`;
    const order = { subtotalCents: 4_990, currency: 'USD' };
    const rules = [await ruleOf(wallet)];
    const terms = { rules, country: 'US', delivery: 'SERVICE', timeZone: 'UTC' } as const;
    const purchase = { externalOrderId, customer: { email }, order };
    const answer = await reportPurchase(deps, await originOf(wallet), purchase, terms);
    if (answer.kind !== 'ANSWERED') throw new Error(answer.message);
    return await models.orderEvents.findById(answer.eventId).orFail();
  }

  /** A purchase whose reward is claimed. */
  async function claimed(wallet: WalletRef): Promise<RewardDoc> {
    const { rewardId } = await buy(wallet);
    const found = await requireReward(models, rewardId);
    const reward = await claimReward(deps, found, { at: new Date(now()) });
    if (reward.state !== 'AVAILABLE') throw new Error(`the reward is ${reward.state}`);
    return reward;
  }

  /** A claimed reward that is refunded. */
  async function reviewed(wallet: WalletRef, reason?: string): Promise<Reviewed> {
    const { _id: rewardId, externalOrderId } = await claimed(wallet);
    const request = { externalOrderId, ...(reason !== undefined && { reason }) };
    await reportRefund(deps, await originOf(wallet), request, { hasRefundPolicy: false });
    return {
      purchase: await reportedAbout(rewardId, 'PURCHASE'),
      refund: await reportedAbout(rewardId, 'REFUND'),
      reward: await models.rewards.findById(rewardId).orFail(),
      review: await models.reviews.findOne({ rewardId }).orFail(),
    };
  }

  return { claimed, reviewed };
}
