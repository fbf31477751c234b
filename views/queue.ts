import { type WalletRef, walletOf } from '../domain/postings.ts';
import { holderOf, missingCentsOf, passedIn } from '../domain/queue.ts';
import { readWallet, waitingAmong } from '../models/ledger/index.ts';
import type { Models } from '../models/schemas/index.ts';
import { awaitingFundingIndex, type RewardDoc } from '../models/schemas/rewards.ts';
import type { ModelDeps } from './deps.ts';

/** An order whose reward waits, what that costs, and what is missing for it, in cents. */
export interface WaitingOrder {
  rewardId: string;
  externalOrderId: string;
  liabilityCents: number;
  missingCents: number;
}

/** What holds up the rewards that wait for a wallet. */
export interface QueueView {
  /** The order behind which the others wait; null if all that wait let the others pass. */
  holder: WaitingOrder | null;
  /** Those that let the others pass, in the order of their purchases. */
  passed: Omit<WaitingOrder, 'missingCents'>[];
}

/** Where a waiting reward is in its queue. */
export interface QueuePlace extends QueueView {
  /** What is missing until this one is funded, in cents. */
  missingCents: number;
  availableCents: number;
  /** Whether it lets the others pass. */
  isPassed: boolean;
}

/** @returns null if nothing waits */
export async function readQueue(
  { models }: ModelDeps,
  wallet: WalletRef,
  { awaitingRewards, fundingCents }: { awaitingRewards: number; fundingCents: number },
): Promise<QueueView | null> {
  if (awaitingRewards === 0) return null;
  const passedIds = passedIn((await readWallet(models, wallet)) ?? {});
  return await queueOf(models, wallet, { availableCents: fundingCents, passedIds });
}

/** @returns null for a reward that does not wait */
export async function readPlace(
  { models }: ModelDeps,
  reward: RewardDoc,
): Promise<QueuePlace | null> {
  const { _id, state, liabilityCents } = reward;
  if (state !== 'AWAITING_FUNDING') return null;
  const ref = walletOf(reward);
  const wallet = await readWallet(models, ref);
  const passedIds = passedIn(wallet ?? {});
  const availableCents = wallet?.balances.funding ?? 0;
  const [queue, before] = await Promise.all([
    queueOf(models, ref, { availableCents, passedIds }),
    waitingAmong(models, ref, { $lt: _id, $nin: passedIds }),
  ]);
  return {
    ...queue,
    availableCents,
    isPassed: passedIds.includes(_id),
    missingCents: missingCentsOf({
      availableCents,
      waitingCents: liabilityCents + before.awaitingCents,
      passedCents: centsBefore(queue.passed, _id),
    }),
  };
}

async function queueOf(
  { rewards }: Models,
  { partnerId, mode }: WalletRef,
  { availableCents, passedIds }: { availableCents: number; passedIds: readonly string[] },
): Promise<QueueView> {
  const fields = { externalOrderId: 1, liabilityCents: 1 } as const;
  const inQueue = { partnerId, mode, state: 'AWAITING_FUNDING' as const };
  // The first that lets nobody pass is among these.
  const first = await rewards
    .find(inQueue, fields)
    .sort({ _id: 1 })
    .limit(passedIds.length + 1)
    .hint(awaitingFundingIndex);
  const letting =
    passedIds.length === 0
      ? []
      : await rewards.find({ ...inQueue, _id: { $in: passedIds } }, fields).sort({ _id: 1 });
  const passed = letting.map(({ _id: rewardId, externalOrderId, liabilityCents }) => ({
    rewardId,
    externalOrderId,
    liabilityCents,
  }));
  const holder = holderOf(first, passedIds);
  if (holder === undefined) return { holder: null, passed };
  const { _id: rewardId, externalOrderId, liabilityCents } = holder;
  const missingCents = missingCentsOf({
    availableCents,
    waitingCents: liabilityCents,
    passedCents: centsBefore(passed, rewardId),
  });
  return { holder: { rewardId, externalOrderId, liabilityCents, missingCents }, passed };
}

const centsBefore = (passed: QueueView['passed'], rewardId: string): number[] =>
  passed.flatMap((one) => (one.rewardId < rewardId ? one.liabilityCents : []));
