import type { Mode } from '../../domain/mode.ts';
import { testAccounts, type WalletRef } from '../../domain/postings.ts';
import { idBound } from '../../platform/ids.ts';
import { findIntegration } from '../identity/integrations.ts';
import { findPartner } from '../identity/partners.ts';
import {
  newestMovements,
  readWallet as readStoredWallet,
  waitingIn,
  walletBalances,
} from '../ledger/index.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import type { Models } from '../schemas/index.ts';
import { createdOn, type DayRange } from '../store/day-range.ts';
import { given, type PageQuery, page } from '../store/paging.ts';
import { readFunding } from './console.ts';
import type { LedgerDeps, ModelDeps, ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

const newestEntries = 15;
const maxIntegrations = 25;

/** A partner's LIVE funding with its newest movements, and the test funding of its integrations. */
export async function readFundingOverview(deps: ViewDeps, partnerId: PartnerScope) {
  const { models } = deps;
  const [funding, movements, integrations] = await Promise.all([
    readFunding(deps, partnerId),
    newestMovements(models, partnerId, newestEntries),
    models.integrations.find({ partnerId }).sort({ _id: -1 }).limit(maxIntegrations),
  ]);
  const test = await Promise.all(
    integrations.map(async ({ _id, name }) => {
      const wallet = await readStoredWallet(models, {
        mode: 'TEST',
        partnerId,
        integrationId: _id,
      });
      return { _id, name, freeCents: wallet ? (wallet.balances[testAccounts.funding] ?? 0) : null };
    }),
  );
  return { funding, movements, test };
}

export type FundingOverview = Awaited<ReturnType<typeof readFundingOverview>>;

/** A wallet's balances, and the rewards that await funding from it. */
export async function readWallet({ models }: LedgerDeps, wallet: WalletRef) {
  const [balances, waiting] = await Promise.all([
    walletBalances(models, wallet),
    waitingIn(models, wallet),
  ]);
  return { ...balances, ...waiting };
}

export type Wallet = Awaited<ReturnType<typeof readWallet>>;

/** A partner and its LIVE funds, for operators. @throws ServiceError NOT_FOUND */
export async function readLiveFunds(deps: LedgerDeps, partnerId: string) {
  const partner = await findPartner(deps.models, partnerId);
  return { partner, wallet: await readWallet(deps, { mode: 'LIVE', partnerId }) };
}

export type LiveFunds = Awaited<ReturnType<typeof readLiveFunds>>;

/** An integration with its test funding, for operators. @throws ServiceError NOT_FOUND */
export async function readTestFunds(deps: LedgerDeps, integrationId: string) {
  const integration = await findIntegration(deps.models, integrationId);
  const { partnerId } = integration;
  const [partner, wallet] = await Promise.all([
    findPartner(deps.models, partnerId),
    readWallet(deps, { mode: 'TEST', partnerId, integrationId }),
  ]);
  return { integration, partner, wallet };
}

export type TestFunds = Awaited<ReturnType<typeof readTestFunds>>;

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
