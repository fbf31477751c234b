import { param } from '../../http/context.ts';
import { pageSchema } from '../../http/query.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import {
  readTransaction,
  readTransactions,
  type Transaction,
  type Transactions,
} from '../../views/funding.ts';
import {
  badge,
  code,
  definitions,
  emptyState,
  linkButton,
  section,
} from '../components/components.ts';
import { exactTime, html, money, nothing, numberText, time } from '../components/format.ts';
import { operatorPaths, to, toId } from '../components/links.ts';
import { postingsTable } from '../components/tables.ts';
import { type Page, page, render } from '../components/view.ts';
import type { PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { type Asked, asked, days, idFilter, ofPartner, viewFilter } from '../lists/filters.ts';
import { list } from '../lists/list.ts';
import { hasPermission } from '../middleware/access.ts';
import { orNotFound } from '../middleware/form.ts';
import { nameIds } from '../routing/name-ids.ts';
import { queryOf } from '../routing/query.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { wordsOfKind } from '../words/ledger-words.ts';

/** The transactions of all wallets. */
export function operatorLedgerPages(routes: RoutesOf<'operator'>): void {
  routes.page('/admin/ledger', showLedger);
  routes.page('/admin/ledger/:transactionId', showTransaction);
}

async function showLedger(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const list = await asked(ctx, deps, ledgerFilters);
  const transactions = await readTransactions(deps, list.filter, queryOf(ctx, pageSchema));
  await nameIds(
    ctx,
    deps,
    transactions.items.map(({ rewardId }) => rewardId),
  );
  render(ctx, ledgerPage(ctx, list, transactions));
}

async function showTransaction(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const transaction = orNotFound(await readTransaction(deps, param(ctx, 'transactionId')));
  await nameIds(ctx, deps, [transaction.entry.rewardId]);
  render(ctx, transactionPage(ctx, transaction));
}

export const ledgerFilters = {
  mode: viewFilter('Mode', { LIVE: 'LIVE', TEST: 'TEST' }),
  ...ofPartner,
  rewardId: idFilter('reward', 'Reward', 'PNR_…'),
  account: idFilter('account', 'Account', 'funding'),
  ...days,
};

const ledgerPage = (
  ctx: PageContext<'operator'>,
  asked: Asked,
  { items, nextCursor, nameOf, currencyOf }: Transactions,
): Page =>
  page(
    {
      title: 'Ledger',
      lead: 'Every transaction moves value between accounts and sums to zero. A positive balance is owed to the account’s holder. Days are UTC.',
    },
    list(ctx, {
      asked,
      caption: 'Transactions',
      columns: {
        Description: (one) => to('TRANSACTION', one._id, wordsOfKind(one.kind)),
        Partner: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
        Amount: {
          number: ({ partnerId, postings }) =>
            money(sizeOf(postings), currencyOf.get(partnerId) ?? 'USD'),
        },
        Reward: ({ rewardId }) => toId(ctx, rewardId),
        When: ({ at }) => exactTime(at),
      },
      rows: items,
      empty: emptyState('No transactions', 'Top-ups and rewards create transactions.'),
      nextCursor,
      exportTo: '/admin/ledger/export',
    }),
  );

function transactionPage(
  ctx: PageContext<'operator'>,
  { entry, nameOf, currencyOf }: Transaction,
): Page {
  const { _id, partnerId, mode, seq, kind, reference, rewardId, at, postings } = entry;
  const { hash, previousHash } = entry;
  return page(
    {
      title: wordsOfKind(kind),
      crumbs: [['Ledger', `/admin/ledger?mode=${mode}`]],
      lead: html`${badge(mode)} ${to('PARTNER', partnerId, nameOf.get(partnerId))}`,
      mode,
    },
    section(
      'Transaction',
      definitions([
        ['When', time(at)],
        ['Reward', toId(ctx, rewardId)],
        ['Reference', code(reference)],
        ...(entry.reverses ? [['Corrects', to('TRANSACTION', entry.reverses)] as const] : []),
        ['ID', code(_id, { canCopy: true })],
      ]),
    ),
    mode === 'LIVE' &&
      kind === 'TOP_UP' &&
      hasPermission(ctx.state.viewer, 'partner.correct-top-up')
      ? html`<p class="after">${linkButton(`${operatorPaths.TRANSACTION}${_id}/correct`, 'Correct', 'secondary')}</p>`
      : nothing,
    section('What moved', postingsTable(postings, currencyOf.get(partnerId) ?? 'USD')),
    section(
      'Hash chain',
      html`<p class="muted">The entries of a wallet are numbered without a gap, and each contains the hash of the one before it.</p>`,
      definitions([
        ['Wallet', html`${to('PARTNER', partnerId, nameOf.get(partnerId))}, ${mode}`],
        ['Number', numberText(seq)],
        ['Hash', code(hash.slice(0, 16))],
        [
          'Previous hash',
          previousHash === '' ? 'none (the first)' : code(previousHash.slice(0, 16)),
        ],
      ]),
    ),
  );
}

/** The amount moved: the sum of the positive postings, which equals that of the negative ones. */
const sizeOf = (postings: EntryDoc['postings']): number =>
  postings.reduce(
    (sum, { unit, amount }) => sum + (unit === 'CENTS' && amount > 0 ? amount : 0),
    0,
  );
