import Joi from 'joi';
import { type Mode, modes } from '../../../domain/mode.ts';
import { type PageQuery, pageParameters, searchText } from '../../../http/paging.ts';
import { readTransaction, readTransactions } from '../../../models/views/ledger.ts';
import { type PageContext, param } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { ledgerPage, transactionPage } from '../../html/pages/admin/ledger.ts';
import { render } from '../../html/view.ts';
import { orNotFound } from '../../middleware/well-formed.ts';
import { chosenPartner } from '../../routing/chosen-partner.ts';
import { queryOf } from '../../routing/query.ts';
import type { Routes } from '../../routing/route-table.ts';

interface LedgerQuery extends PageQuery {
  book: Mode;
  partner?: string;
  account?: string;
  reward?: string;
}

const querySchema = Joi.object<LedgerQuery>({
  book: Joi.string()
    .valid(...modes)
    .default('LIVE'),
  partner: searchText,
  account: searchText,
  reward: searchText,
  ...pageParameters,
});

const reading = { audience: 'operator', permission: 'read' } as const;

/** Every transaction of the ledger, and of the test funding beside it. */
export function adminLedgerPages(routes: Routes): void {
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
  const { book, partner: typed, account, reward, ...paging } = queryOf(ctx, querySchema);
  const partner = await chosenPartner(ctx, deps, typed);
  const filter = { book, partnerId: partner, account, rewardId: reward };
  render(ctx, ledgerPage(ctx, await readTransactions(deps, filter, paging)));
}

async function showTransaction(ctx: PageContext<'operator'>, deps: PageDeps): Promise<void> {
  const transaction = await readTransaction(deps, param(ctx, 'transactionId'));
  render(ctx, transactionPage(orNotFound(transaction)));
}
