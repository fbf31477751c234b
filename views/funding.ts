import type { Mode } from '../domain/mode.ts';
import type { WalletRef } from '../domain/postings.ts';
import { readRunway } from '../models/billing/index.ts';
import { findPartner } from '../models/identity/partners.ts';
import { newestMovements, walletFunds } from '../models/ledger/index.ts';
import type { EntryDoc } from '../models/schemas/entries.ts';
import type { Models } from '../models/schemas/index.ts';
import { createdOn, type DayRange } from '../models/store/day-range.ts';
import { given, type PageQuery, readPage } from '../models/store/paging.ts';
import { idBound } from '../platform/ids.ts';
import type { ModelDeps, TimedDeps, ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';
import { readQueue } from './queue.ts';

const newestEntries = 15;

/** A partner's LIVE funds in cents, and for how many days they last at the rate of the last days. */
export async function readFunding({ models, now }: TimedDeps, partnerId: PartnerScope) {
  const at = new Date(now()).toISOString();
  const funds = await walletFunds(models, { mode: 'LIVE', partnerId });
  return { ...funds, runwayDays: await readRunway(models, partnerId, funds.fundingCents, at) };
}

/** A partner's LIVE funding with its newest movements, and its test funding. */
export async function readFundingOverview(deps: ViewDeps, partnerId: PartnerScope) {
  const { models } = deps;
  const [funding, movements, test] = await Promise.all([
    readFunding(deps, partnerId),
    newestMovements(models, partnerId, newestEntries),
    readWalletView(deps, { mode: 'TEST', partnerId }),
  ]);
  const queue = await readQueue(deps, { mode: 'LIVE', partnerId }, funding);
  return { funding, queue, movements, test };
}

export type FundingOverview = Awaited<ReturnType<typeof readFundingOverview>>;

/** A wallet's balances, and the rewards that await funding from it. */
export async function readWalletView({ models }: ModelDeps, wallet: WalletRef) {
  const funds = await walletFunds(models, wallet);
  return { ...funds, queue: await readQueue({ models }, wallet, funds) };
}

export type WalletView = Awaited<ReturnType<typeof readWalletView>>;

/** A partner and its funds, for operators. @throws ServiceError NOT_FOUND */
export async function readFunds(deps: ModelDeps, partnerId: string) {
  const [partner, live, test] = await Promise.all([
    findPartner(deps.models, partnerId),
    readWalletView(deps, { mode: 'LIVE', partnerId }),
    readWalletView(deps, { mode: 'TEST', partnerId }),
  ]);
  return { partner, live, test };
}

export type Funds = Awaited<ReturnType<typeof readFunds>>;

/** Filters of the list of transactions. */
export interface LedgerFilter extends DayRange {
  mode: Mode;
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
  const { items, nextCursor } = await readPage(
    models.ledger,
    await transactionsIn(models, filter),
    query,
    (entry: EntryDoc) => entry,
  );
  const partnerIds = items.map(({ partnerId: one }) => one);
  return { items, nextCursor, ...(await namesAndCurrencies(models, partnerIds)) };
}

/** The conditions on the transactions of a list. */
export async function transactionsIn(
  { rewards }: Models,
  { mode, partnerId, account, rewardId, fromDay, toDay }: LedgerFilter,
): Promise<Record<string, unknown>[]> {
  // With the partner, an index finds a reward's transactions directly.
  const reward = rewardId && (await rewards.findById(rewardId, { partnerId: 1 }));
  return [
    ...given({
      mode,
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
  const entry = await models.ledger.findById(_id);
  if (entry === null) return null;
  return { entry, ...(await namesAndCurrencies(models, [entry.partnerId])) };
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
