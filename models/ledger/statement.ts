import { accounts, walletIdOf } from '../../domain/postings.ts';
import { dayMs, dayStartMs } from '../../domain/utc-days.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import type { Models } from '../schemas/index.ts';

/** UTC days, `yyyy-mm-dd`, both inclusive. */
export interface StatementDays {
  fromDay: string;
  toDay: string;
}

/** A movement of a partner's LIVE funding. */
export interface Movement {
  transactionId: string;
  /** The number of its entry, by which movements are ordered. */
  seq: number;
  at: Date;
  kind: string;
  reference: string;
  rewardId: string | null;
  /** The shop's order of the reward. */
  externalOrderId: string | null;
  /** Negative for what left the funding. */
  amountCents: number;
  /** The funding after it. */
  balanceCents: number;
}

/** The part of a wallet's ledger that some days cover, with the funding before and after it. */
export interface StatementBounds {
  /** The numbers of the last entry before it, and of its own last. */
  afterSeq: number;
  untilSeq: number;
  openingCents: number;
  closingCents: number;
}

type LedgerModels = Pick<Models, 'ledger' | 'wallets'>;
type MovementModels = Pick<Models, 'ledger' | 'rewards'>;

/**
 * Finds the entries of some days. They follow one another by their numbers, never by their times, which are
 * those of several processes: so the balances of a statement never jump, and each begins with the balance that
 * the one of the days before ends with. Costs some twenty reads of one key, however long the ledger is.
 * @throws RangeError for a day that does not exist
 */
export async function statementBounds(
  models: LedgerModels,
  partnerId: string,
  { fromDay, toDay }: StatementDays,
): Promise<StatementBounds> {
  const wallet = await models.wallets.collection.findOne(
    { partnerId, _id: walletIdOf({ partnerId, mode: 'LIVE' }) as never },
    { projection: { seq: 1 } },
  );
  const newest = Number(wallet?.seq ?? 0);
  const [afterSeq, untilSeq] = await Promise.all([
    lastBefore(models, partnerId, newest, new Date(dayStartMs(fromDay))),
    lastBefore(models, partnerId, newest, new Date(dayStartMs(toDay) + dayMs)),
  ]);
  const [openingCents, closingCents] = await Promise.all([
    fundingAfter(models, partnerId, afterSeq),
    fundingAfter(models, partnerId, untilSeq),
  ]);
  return { afterSeq, untilSeq, openingCents, closingCents };
}

/**
 * The number of the last entry before a time; 0 for none. Found bit by bit from the highest, so that entries
 * that are added later do not change it.
 */
async function lastBefore(
  { ledger }: LedgerModels,
  partnerId: string,
  newest: number,
  before: Date,
): Promise<number> {
  let last = 0;
  for (let step = 2 ** Math.floor(Math.log2(Math.max(1, newest))); step >= 1; step /= 2) {
    const seq = last + step;
    if (seq > newest) continue;
    const entry = await ledger.findOne({ partnerId, mode: 'LIVE', seq }, { at: 1 });
    if (entry !== null && entry.at < before) last = seq;
  }
  return last;
}

const funded = { 'postings.account': accounts.funding };
const chain = { partnerId: 1, mode: 1, seq: -1 } as const;

/** The funding right after an entry, in cents. */
async function fundingAfter(
  { ledger }: LedgerModels,
  partnerId: string,
  seq: number,
): Promise<number> {
  const last = await ledger
    .findOne({ partnerId, mode: 'LIVE', seq: { $lte: seq }, ...funded })
    .sort({ seq: -1 })
    .hint(chain);
  return last === null ? 0 : fundingIn(last).balanceAfter;
}

/** The movements between two numbers, oldest first. @param limit of entries, some of which move nothing */
export async function movementsBetween(
  models: MovementModels,
  partnerId: string,
  { afterSeq, untilSeq }: Pick<StatementBounds, 'afterSeq' | 'untilSeq'>,
  limit: number,
): Promise<Movement[]> {
  const entries = await models.ledger
    .find({ partnerId, mode: 'LIVE', seq: { $gt: afterSeq, $lte: untilSeq }, ...funded })
    .sort({ seq: 1 })
    .hint(chain)
    .limit(limit);
  return await movementsOf(models, partnerId, entries);
}

/** The newest movements, newest first. */
export async function newestMovements(
  models: MovementModels,
  partnerId: string,
  limit: number,
): Promise<Movement[]> {
  const entries = await models.ledger
    .find({ partnerId, mode: 'LIVE', ...funded })
    .sort({ seq: -1 })
    .hint(chain)
    .limit(limit);
  return await movementsOf(models, partnerId, entries);
}

/** All movements between two numbers, oldest first, page by page as they are consumed. */
export async function* everyMovement(
  models: MovementModels,
  partnerId: string,
  { afterSeq, untilSeq }: Pick<StatementBounds, 'afterSeq' | 'untilSeq'>,
  pageRows = 1_000,
): AsyncGenerator<Movement> {
  for (let after = afterSeq; ; ) {
    const range = { afterSeq: after, untilSeq };
    const movements = await movementsBetween(models, partnerId, range, pageRows);
    yield* movements;
    const last = movements.at(-1);
    if (last === undefined || movements.length < pageRows) return;
    after = last.seq;
  }
}

const fundingIn = ({ postings }: EntryDoc) =>
  postings.find(({ account }) => account === accounts.funding) ?? {
    amount: 0,
    balanceAfter: 0,
  };

/** The movements of some entries, with the shop's orders. */
async function movementsOf(
  { rewards }: Pick<Models, 'rewards'>,
  partnerId: string,
  entries: readonly EntryDoc[],
): Promise<Movement[]> {
  const ids = [...new Set(entries.flatMap(({ rewardId }) => rewardId ?? []))];
  const found =
    ids.length === 0
      ? []
      : await rewards.find({ partnerId, _id: { $in: ids } }, { externalOrderId: 1 });
  const orders = new Map(found.map(({ _id, externalOrderId }) => [_id, externalOrderId]));
  return entries.map((entry) => {
    const { _id: transactionId, seq, at, kind, reference, rewardId } = entry;
    const { amount: amountCents, balanceAfter: balanceCents } = fundingIn(entry);
    const externalOrderId = orders.get(rewardId ?? '') ?? null;
    const what = { transactionId, seq, at, kind, reference, rewardId, externalOrderId };
    return { ...what, amountCents, balanceCents };
  });
}

/** What a movement is for: the shop's order, or the bank's reference, which the entry's own begins with a word. */
export const subjectOf = ({ externalOrderId, rewardId, reference }: Movement): string =>
  externalOrderId ?? rewardId ?? reference.slice(reference.indexOf(':') + 1);

/** Names of kinds of movements for partners. */
export const movementWords: Readonly<Record<string, string>> = {
  TOP_UP: 'Top-up',
  WITHDRAWAL: 'Paid back to you',
  CORRECTION: 'Correction of a top-up',
  RESERVE: 'Reserved for a reward',
  RELEASE: 'Returned',
  VOID: 'Not reserved',
  CLAIM: 'Owed to the customer',
  HOLD: 'Held at the checkout',
  UNHOLD: 'No longer held',
  REDEEM: 'Spent by the customer',
  REVERSE: 'Given back to the customer',
  CLAWBACK: 'Taken back',
  WRITE_OFF: 'Partly taken back',
  SETTLE: 'Taken back later, after a write-off',
  POINTS_END: 'Points ended',
};
