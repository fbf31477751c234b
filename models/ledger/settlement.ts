import type { RewardSnapshot, WalletRef } from '../../domain/events.ts';
import {
  type BalanceOf,
  bookOf,
  claim,
  type Posting,
  release,
  reserve,
  uphold,
} from '../../domain/postings.ts';
import { type Effect, effectOf, type RewardMove } from '../../domain/reward-states.ts';
import { moveReward } from '../rewards.ts';
import type { Models } from '../schemas/index.ts';
import type { Books, WaitingWallets } from './books.ts';
import type { Draft, EntryDoc } from './chain.ts';

/** Why a reward is not funded. */
export type Shortfall = 'SHORT_OF_FUNDS';
export const shortOfFunds: { refused: Shortfall } = { refused: 'SHORT_OF_FUNDS' };

type Decision = { kind: string; reference?: string; postings: Posting[] };
type RewardDraft<Refusal> = Draft<Refusal, WaitingWallets>;

/** The postings of a reservation, as far as the funding goes. */
export function reserveOrRefuse(
  reward: RewardSnapshot,
  balanceOf: BalanceOf,
): Decision | { refused: Shortfall } {
  const book = bookOf(reward.mode, reward.integrationId);
  if (reward.liabilityCents > balanceOf(book.funding)) return shortOfFunds;
  return { kind: 'RESERVE', postings: reserve(book, reward) };
}

/**
 * What is appended for an effect of the state table. Its first reference is the one that makes a
 * repeat harmless; an upheld refund is a clawback, or a write-off where points were spent.
 * @param decide for a reservation, whether the wallet can and may fund the reward at its turn
 */
export function draftOf<Refusal = never>(
  reward: RewardSnapshot,
  effect: Effect,
  at: string,
  decide: RewardDraft<Refusal>['post'] = (balanceOf) => decisions[effect](reward, balanceOf),
): RewardDraft<Refusal> {
  const { partnerId, rewardId, mode, integrationId, customerKey } = reward;
  const { funding, reserved, redeemed, writeOff, payable, points } = bookOf(mode, integrationId);
  const owed = payable(customerKey);
  const held = points?.customer(customerKey);
  const accounts: Record<Effect, (string | undefined)[]> = {
    RESERVE: [funding, reserved],
    RELEASE: [reserved, funding],
    PAY_OUT: [reserved, owed, points?.issued, held],
    CLAW_BACK: [
      owed,
      funding,
      redeemed,
      writeOff,
      held,
      points?.issued,
      points?.redeemed,
      points?.writeOff,
    ],
  };
  return {
    partnerId,
    references: referencesOf(effect, rewardId),
    rewardId,
    at: new Date(at),
    accounts: accounts[effect].filter((account): account is string => account !== undefined),
    post: decide,
  };
}

function referencesOf(effect: Effect, rewardId: string): [string, ...string[]] {
  if (effect === 'RESERVE') return [`reserve:${rewardId}`];
  if (effect === 'RELEASE') return [`release:${rewardId}`];
  if (effect === 'PAY_OUT') return [`claim:${rewardId}`];
  return [`clawback:${rewardId}`, `writeOff:${rewardId}`];
}

/** The transaction that reserved a reward's money; null where nothing was reserved. */
export async function reservationOf(
  books: Books,
  { partnerId, mode, rewardId }: RewardSnapshot,
): Promise<EntryDoc | null> {
  const [reference] = referencesOf('RESERVE', rewardId);
  return await books.chainOf(mode).find(partnerId, reference);
}

/** Every reference that a reward's transactions may stand under. */
export function referencesOfReward(rewardId: string): string[] {
  const effects: Effect[] = ['RESERVE', 'RELEASE', 'PAY_OUT', 'CLAW_BACK'];
  return effects.flatMap((effect) => referencesOf(effect, rewardId));
}

const decisions: Record<Effect, (reward: RewardSnapshot, balanceOf: BalanceOf) => Decision> = {
  RESERVE: (reward) => ({ kind: 'RESERVE', postings: reserve(bookFor(reward), reward) }),
  RELEASE: (reward) => ({ kind: 'RELEASE', postings: release(bookFor(reward), reward) }),
  PAY_OUT: (reward) => ({ kind: 'CLAIM', postings: claim(bookFor(reward), reward) }),
  CLAW_BACK: (reward, balanceOf) => {
    const { kind, postings } = uphold(bookFor(reward), reward, balanceOf);
    const [clawback, writeOff] = referencesOf('CLAW_BACK', reward.rewardId);
    return { kind, postings, reference: kind === 'CLAWBACK' ? clawback : (writeOff ?? clawback) };
  },
};

const bookFor = ({ mode, integrationId }: RewardSnapshot) => bookOf(mode, integrationId);

export type Settle = ReturnType<typeof createSettle>;

/**
 * Makes a move of the state table and does to the money what the table says. The state goes first:
 * whoever funds the reward at the same moment looks at the state after the reservation, so that one
 * of the two sees the other and the money goes back. Every step is safe to repeat.
 *
 * @param wakeWallet lets whoever waits in a wallet have what came back
 */
export function createSettle(
  models: Models,
  books: Books,
  wakeWallet: (wallet: WalletRef) => Promise<void>,
) {
  return async (
    reward: RewardSnapshot,
    move: RewardMove,
    at: string,
    also: Parameters<typeof moveReward>[4] = {},
  ): Promise<RewardSnapshot> => {
    const effect = effectOf(reward, move);
    const moved = await moveReward(models, reward, move, at, also);
    if (effect !== null && (await hasMoney(reward, effect))) {
      await books.chainOf(reward.mode).append(draftOf(reward, effect, at));
    }
    if (effect === 'RELEASE' || effect === 'CLAW_BACK') await giveUp(reward, at);
    return moved;
  };

  /** Also where no money moved: whoever stood behind it in line is next, and points are points. */
  async function giveUp(reward: RewardSnapshot, at: string): Promise<void> {
    if (reward.mode === 'LIVE') await books.usage.giveBack(reward, at);
    if (await books.isAwaited(reward)) await wakeWallet(reward);
  }

  /** A TEST reward of an integration without test funding, and one that was never funded, moves no money. */
  async function hasMoney(reward: RewardSnapshot, effect: Effect): Promise<boolean> {
    if (reward.mode === 'LIVE' && effect !== 'RELEASE') return true;
    return (await reservationOf(books, reward)) !== null;
  }
}
