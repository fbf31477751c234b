import type { WalletRef } from '../../domain/postings.ts';
import type { RewardSnapshot } from '../../domain/reward.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import type { Ledger } from './ledger.ts';
import { references, voidKind } from './references.ts';
import { reservationDraft, voidDraft } from './reward-drafts.ts';

/** The outcome of a reservation. */
export interface Reservation {
  isFunded: boolean;
  /** Null if funds are short, and if the reward costs nothing. */
  entry: EntryDoc | null;
}

/** A reward to reserve money for. */
interface Claimant {
  reward: RewardSnapshot;
  /** ISO 8601. */
  at: string;
}

/**
 * Reserves the money of a wallet's rewards, first come, first served: as far as the funding goes,
 * and none after the first that it does not cover. A repeat finds what was reserved before.
 * @param queue rewards of the wallet, in queue order
 * @param isBehindOthers whether earlier rewards wait for this wallet: then none is funded
 * @returns a reservation for each, in order
 */
export async function reserveInOrder(
  ledger: Ledger,
  { mode }: Pick<WalletRef, 'mode'>,
  queue: readonly Claimant[],
  { isBehindOthers }: { isBehindOthers: boolean },
): Promise<Reservation[]> {
  if (isBehindOthers) return await reservedBefore(ledger, queue);
  const drafts = queue.map(({ reward, at }) => reservationDraft(reward, at));
  const outcomes = await ledger.of(mode).appendInOrder(drafts);
  return outcomes.map((outcome) =>
    'refused' in outcome || outcome.entry?.kind === voidKind
      ? { isFunded: false, entry: null }
      : { isFunded: true, entry: outcome.entry },
  );
}

/**
 * Makes sure that no money is or will be reserved for a reward that ended unfunded.
 * @returns the entry of a reservation that was made nevertheless, and has to be released; otherwise
 *   null
 */
export async function voidReservation(
  ledger: Ledger,
  reward: RewardSnapshot,
  at: string,
): Promise<EntryDoc | null> {
  if (reward.liabilityCents === 0) return null;
  const outcome = await ledger.of(reward.mode).append(voidDraft(reward, at));
  return 'entry' in outcome ? reservationIn(outcome.entry) : null;
}

const reservationIn = (entry: EntryDoc | null): EntryDoc | null =>
  entry === null || entry.kind === voidKind ? null : entry;

/**
 * Finds reservations of an earlier attempt that died before it could return: they stand, whoever
 * waits by now.
 */
async function reservedBefore(ledger: Ledger, queue: readonly Claimant[]): Promise<Reservation[]> {
  return await Promise.all(
    queue.map(async ({ reward }) => {
      const entry = await reservationOf(ledger, reward);
      return { isFunded: entry !== null, entry };
    }),
  );
}

/** The entry that reserved a reward's money; null if nothing was reserved. */
export async function reservationOf(
  ledger: Ledger,
  { partnerId, mode, rewardId }: Pick<RewardSnapshot, 'partnerId' | 'mode' | 'rewardId'>,
): Promise<EntryDoc | null> {
  return reservationIn(
    await ledger.of(mode).find(partnerId, references.reward('RESERVE', rewardId)),
  );
}
