import type { PurchaseRequest } from '../../../domain/purchase.ts';
import type { Origin } from '../../../domain/request.ts';
import { effectOf, unfinishedMoves } from '../../../domain/reward-states.ts';
import { walletIdOf, walletOf } from '../../../domain/wallet.ts';
import { type PurchaseTerms, reportOf, ruleFor } from '../../../events/purchase.ts';
import { purchaseEvent } from '../../../events/record-purchase.ts';
import { type RefundReport, refundEvent } from '../../../events/refund.ts';
import { integrationEventOf } from '../../../models/events/integration-events.ts';
import { customerOf } from '../../../models/events/order-events.ts';
import { answerOfRefund } from '../../../models/events/refund-answer.ts';
import { reserveInOrder, rewardDraft } from '../../../models/ledger/index.ts';
import { rewardOf } from '../../../models/rewards/create.ts';
import { type MoveReward, toSnapshot, writeOf } from '../../../models/rewards/move.ts';
import { decideRefund } from '../../../models/rewards/refund.ts';
import { claimReward } from '../../../models/rewards/reward-moves.ts';
import type { DataKeyDoc } from '../../../models/schemas/data-key.ts';
import type { OrderEventDoc } from '../../../models/schemas/order-event.ts';
import type { RewardDoc } from '../../../models/schemas/reward.ts';
import { keyDocOf, type OfCustomer } from '../../../models/store/data-keys.ts';
import type { PortalDeps } from '../../../portal/deps.ts';

export type PurchaseOutcome = 'OPEN' | 'REFUNDED' | 'CLAIMED';

/** A purchase to create, and its outcome. */
export interface PlannedPurchase {
  origin: Origin;
  request: PurchaseRequest;
  terms: PurchaseTerms;
  fate: PurchaseOutcome;
  /** The origin of its refund, if that is the outcome. */
  refundOrigin: Origin;
}

/** The documents of a purchase, except for its ledger and usage entries. */
interface FilledPurchase {
  fate: PurchaseOutcome;
  refundOrigin: Origin;
  purchase: OrderEventDoc;
  reward: RewardDoc;
  refund: OrderEventDoc | undefined;
  keys: DataKeyDoc[];
}

/** Computes a move without writing it: it is inserted with the reward. */
const inMemory: MoveReward = async (reward, asked) => writeOf(reward, asked).after;

/**
 * Creates many purchases at once in the state after their workflows have finished: created by the functions
 * that create each of them, and written in a few large inserts. Nothing else may happen to the partners
 * meanwhile.
 */
export function createBulkFill(deps: PortalDeps) {
  const { models, ledger, usage, config } = deps;

  function buy({ origin, request, terms, fate, refundOrigin }: PlannedPurchase): FilledPurchase {
    const rule = ruleFor(terms, origin, request);
    const { report } = reportOf(deps, terms, request, origin);
    const event = purchaseEvent(report, rule, null);
    const keys = keyOf(event, customerOf(event));
    const reward = rewardOf(event);
    return { fate, refundOrigin, purchase: settled(event), reward, refund: undefined, keys };
  }

  /** Reserves the cost of one wallet's rewards, counts them, and funds them. */
  async function fund(queue: readonly FilledPurchase[], at: Date): Promise<void> {
    const [first] = queue;
    if (!first) return;
    const asked = queue.map(({ reward }) => ({ reward: toSnapshot(reward), at: at.toISOString() }));
    const reservations = await reserveInOrder(ledger, walletOf(first.reward), asked, {
      isBehindOthers: false,
    });
    if (!reservations.every(({ isFunded }) => isFunded))
      throw new Error('a wallet has insufficient funds');
    for (const written of queue) {
      const move = { move: 'FUND', at } as const;
      written.reward = writeOf(written.reward, move, { isMarked: false }).after;
    }
    if (first.reward.mode === 'TEST') return;
    await Promise.all(queue.map(({ reward }) => usage.meter(toSnapshot(reward), at.toISOString())));
  }

  /** Decides the outcome of a funded purchase, and carries it out. */
  async function settle(written: FilledPurchase, at: Date): Promise<void> {
    if (written.fate === 'OPEN') return;
    if (written.fate === 'CLAIMED') {
      written.reward = await claimReward(models, written.reward, at, { move: inMemory });
    } else {
      await refund(written, at);
    }
    await carryOut(written);
  }

  async function refund(written: FilledPurchase, at: Date): Promise<void> {
    const { refundOrigin, purchase, reward } = written;
    const { externalOrderId } = purchase;
    const asked: RefundReport = {
      ...refundOrigin,
      receivedAt: at.toISOString(),
      type: 'REFUND',
      externalOrderId,
      externalRefundId: `refund:${externalOrderId}`,
    };
    const event = refundEvent(deps, asked, { externalOrderId }, { purchase, reward }, 1);
    const decided = await decideRefund(models, event, reward, config.reviewDueMs, inMemory);
    written.reward = decided.reward;
    written.refund = { ...settled(event), answer: answerOfRefund(event, decided) };
    written.keys.push(...keyOf(event, reward));
  }

  async function carryOut(written: FilledPurchase): Promise<void> {
    const { reward } = written;
    const snapshot = toSnapshot(reward);
    for (const { made, from } of unfinishedMoves(reward)) {
      const { move } = made;
      if (move === 'FUND' || move === 'RUN_SHORT') continue;
      const at = made.at.toISOString();
      const effect = effectOf(from, move);
      if (effect) await ledger.of(reward.mode).append(rewardDraft(snapshot, effect, at));
      if (effect === 'RELEASE' && reward.mode === 'LIVE') await usage.giveBack(snapshot, at);
    }
    const { pendingSince: _mark, ...unmarked } = reward;
    written.reward = { ...unmarked, carriedOut: reward.version };
  }

  return async (planned: readonly PlannedPurchase[]): Promise<void> => {
    const all = planned.map(buy);
    const queues = Map.groupBy(
      all,
      ({ reward }) => `${reward.partnerId}/${walletIdOf(walletOf(reward))}`,
    );
    const at = new Date();
    await Promise.all([...queues.values()].map((queue) => fund(queue, at)));
    await Promise.all(all.map((written) => settle(written, at)));
    const events = all.flatMap(({ purchase, refund }) =>
      refund ? [purchase, refund] : [purchase],
    );
    const unordered = { ordered: false };
    await Promise.all([
      models.orderEvents.collection.insertMany(events as never[], unordered),
      models.rewards.collection.insertMany(all.map(({ reward }) => reward) as never[], unordered),
      models.dataKeys.collection.insertMany(all.flatMap(({ keys }) => keys) as never[], unordered),
      models.integrationEvents.collection.insertMany(
        events.map((event) => integrationEventOf(event, null)) as never[],
        unordered,
      ),
    ]);
  };
}

/** An event without the fields that it has only until its workflow starts. */
function settled({
  pendingSince: _mark,
  address: _address,
  dataKey: _key,
  ...event
}: OrderEventDoc): OrderEventDoc {
  if (event.type === 'PURCHASE') return event;
  const { customerId: _customer, ...refund } = event;
  return refund;
}

function keyOf({ dataKey, receivedAt }: OrderEventDoc, customer: OfCustomer): DataKeyDoc[] {
  return dataKey ? [keyDocOf(dataKey, customer, receivedAt)] : [];
}
