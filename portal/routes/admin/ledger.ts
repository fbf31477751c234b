import Joi from 'joi';
import { type PageQuery, pageParameters } from '../../../http/query.ts';
import { readTransaction, readTransactions } from '../../../models/views/funding.ts';
import { type PageContext, param } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { type LedgerQuery, ledgerFilterOf, ledgerFilters } from '../../forms/record-queries.ts';
import { ledgerPage, transactionPage } from '../../html/pages/admin/ledger.ts';
import { render } from '../../html/view.ts';
import { orNotFound } from '../../middleware/well-formed.ts';
import { chosenPartner } from '../../routing/chosen-partner.ts';
import { nameIds } from '../../routing/name-ids.ts';
import { filtersOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

const querySchema = Joi.object<LedgerQuery & PageQuery>({ ...ledgerFilters, ...pageParameters });

const reading = { audience: 'operator', permission: 'read' } as const;

/** The transactions of the ledger and of test funding. */
export function operatorLedgerPages(routes: Routes): void {
  routes.page({ ...reading, path: '/admin/ledger' }, showLedger);
  routes.page(
    {
      ...reading,
      path: '/admin/ledger/:transactionId',
      params: { transactionId: 'transaction' },
    },
    showTransaction,
  );
}

async function showLedger(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const query = filtersOf(ctx, querySchema);
  const filter = ledgerFilterOf(query, await chosenPartner(ctx, deps, query.partner));
  const transactions = await readTransactions(deps, filter, query);
  await nameIds(
    ctx,
    deps,
    transactions.items.map(({ rewardId }) => rewardId),
  );
  render(ctx, ledgerPage(ctx, transactions, deps.now()));
}

async function showTransaction(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const transaction = orNotFound(await readTransaction(deps, param(ctx, 'transactionId')));
  await nameIds(ctx, deps, [transaction.entry.rewardId]);
  render(ctx, transactionPage(ctx, transaction));
}
