import type { Mode } from '../../domain/mode.ts';
import { idBound } from '../../platform/ids.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import type { Models } from '../schemas/index.ts';
import { createdOn, type DayRange } from '../store/day-range.ts';
import { given, type PageQuery, page } from '../store/paging.ts';
import type { ModelDeps } from './deps.ts';

/** Filters of the list of transactions. */
export interface LedgerFilter extends DayRange {
  /** LIVE for the ledger, TEST for test funding. */
  book: Mode;
  partnerId?: string | undefined;
  account?: string | undefined;
  rewardId?: string | undefined;
}

/** A page of all transactions, for operators. */
export async function readTransactions(
  { models }: ModelDeps,
  filter: LedgerFilter,
  query: PageQuery,
) {
  const { items, nextCursor } = await page(
    bookOf(models, filter),
    await transactionsIn(models, filter),
    query,
    (entry: EntryDoc) => entry,
  );
  const partnerIds = items.map(({ partnerId: one }) => one);
  return { items, nextCursor, ...(await namesAndCurrencies(models, partnerIds)) };
}

export const bookOf = ({ ledger, testFunding }: Models, { book }: LedgerFilter) =>
  book === 'LIVE' ? ledger : testFunding;

/** The conditions on the transactions of a list. */
export async function transactionsIn(
  { rewards }: Models,
  { partnerId, account, rewardId, fromDay, toDay }: LedgerFilter,
): Promise<Record<string, unknown>[]> {
  // With the partner, an index finds a reward's transactions directly.
  const reward = rewardId && (await rewards.findById(rewardId, { partnerId: 1 }));
  return [
    ...given({
      partnerId,
      'postings.account': account,
      rewardId,
    }),
    ...(reward ? [{ partnerId: reward.partnerId }] : []),
    ...createdOn({ fromDay, toDay }, (atMs) => idBound('transaction', atMs)),
  ];
}

export type Transactions = Awaited<ReturnType<typeof readTransactions>>;

/** One transaction, for operators; null if it does not exist. */
export async function readTransaction({ models }: ModelDeps, _id: string) {
  const live = await models.ledger.findById(_id);
  const entry = live ?? (await models.testFunding.findById(_id));
  if (entry === null) return null;
  const mode: Mode = live ? 'LIVE' : 'TEST';
  return { entry, mode, ...(await namesAndCurrencies(models, [entry.partnerId])) };
}

export type Transaction = NonNullable<Awaited<ReturnType<typeof readTransaction>>>;

export async function namesAndCurrencies({ partners }: Models, partnerIds: readonly string[]) {
  const found = await partners.find(
    { _id: { $in: [...new Set(partnerIds)] } },
    { name: 1, currency: 1 },
  );
  return {
    nameOf: new Map(found.map(({ _id, name }) => [_id, name])),
    currencyOf: new Map(found.map(({ _id, currency }) => [_id, currency])),
  };
}
