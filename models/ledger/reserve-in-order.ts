import type { RewardSnapshot, WalletRef } from '../../domain/events.ts';
import type { EntryDoc } from '../schemas/entry.ts';
import type { Ledger } from './ledger.ts';
import { references } from './references.ts';
import { reservationDraft } from './reward-drafts.ts';

/** What became of a reward's reservation. */
export interface Reservation {
  isFunded: boolean;
  /** Null where the money is not there, and where the reward costs nothing. */
  entry: EntryDoc | null;
}

/** A reward that asks for its money. */
interface Claimant {
  reward: RewardSnapshot;
  /** ISO 8601. */
  at: string;
}

/**
 * Reserves the money of a wallet's rewards, first come, first served: as far as the funding goes, and
 * for none behind the first that it does not reach. A repeat finds what it reserved.
 * @param line rewards of the wallet, in the order in which they came
 * @param isBehindOthers whether somebody waits for this wallet who came before: then none is funded
 * @returns a reservation for each, in their order
 */
export async function reserveInOrder(
  ledger: Ledger,
  { mode }: Pick<WalletRef, 'mode'>,
  line: readonly Claimant[],
  { isBehindOthers }: { isBehindOthers: boolean },
): Promise<Reservation[]> {
  if (isBehindOthers) return await reservedBefore(ledger, line);
  const drafts = line.map(({ reward, at }) => reservationDraft(reward, at));
  const outcomes = await ledger.of(mode).appendInOrder(drafts);
  return outcomes.map((outcome) =>
    'refused' in outcome
      ? { isFunded: false, entry: null }
      : { isFunded: true, entry: outcome.entry },
  );
}

/** What an attempt reserved that died before it could say so stands, whoever waits by now. */
async function reservedBefore(ledger: Ledger, line: readonly Claimant[]): Promise<Reservation[]> {
  return await Promise.all(
    line.map(async ({ reward }) => {
      const entry = await reservationOf(ledger, reward);
      return { isFunded: entry !== null, entry };
    }),
  );
}

/** The entry that reserved a reward's money; null where nothing was reserved. */
export async function reservationOf(
  ledger: Ledger,
  { partnerId, mode, rewardId }: Pick<RewardSnapshot, 'partnerId' | 'mode' | 'rewardId'>,
): Promise<EntryDoc | null> {
  return await ledger.of(mode).find(partnerId, references.reward('RESERVE', rewardId));
}
