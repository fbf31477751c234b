import type { Wallet } from './draft.ts';
import type { Reward } from './reward.ts';

/** The queue of a wallet: its waiting rewards in the order of their purchases, and which of them let the others pass. */

/** The most rewards of a wallet that let the others pass: each commit of the wallet looks at all of them. */
export const maxPassed = 20;

/** The waiting rewards that let the others pass, by id. They keep their place: money that arrives is offered to them first. */
export const passedIn = ({ passed = [] }: Pick<Wallet, 'passed'>): readonly string[] => passed;

/** The wallet after one of its rewards no longer lets the others pass, if it did. */
export const withoutPassed = (wallet: Wallet, rewardId: string): Wallet =>
  passedIn(wallet).includes(rewardId)
    ? { ...wallet, passed: passedIn(wallet).filter((id) => id !== rewardId) }
    : wallet;

/** A waiting reward, and what it costs. */
export type WaitingReward = Pick<Reward, '_id' | 'liabilityCents'>;

/** What a queue is measured by. */
export interface Queue {
  /** The funding that is neither reserved nor owed, in cents. */
  availableCents: number;
  /** The cost of the rewards that have to be funded, without those that let the others pass, in cents. */
  waitingCents: number;
  /** The costs of those that let the others pass and came before, in cents. */
  passedCents?: readonly number[];
}

/**
 * What is missing until rewards that wait are funded: what they cost, less what is available. One that lets them
 * pass adds its cost if the money would cover it, since that is offered to it first.
 * @returns cents; 0 if nothing is missing
 */
export function missingCentsOf({ availableCents, waitingCents, passedCents = [] }: Queue): number {
  let neededCents = waitingCents;
  for (const cents of passedCents.toSorted((one, other) => one - other)) {
    if (cents <= neededCents) neededCents += cents;
  }
  return Math.max(0, neededCents - availableCents);
}

/** The reward behind which the others wait: the first that does not let them pass; undefined if all do. */
export const holderOf = <One extends WaitingReward>(
  queue: readonly One[],
  passed: readonly string[],
): One | undefined => queue.find(({ _id }) => !passed.includes(_id));
