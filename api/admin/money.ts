import type { Router } from '@koa/router';
import Joi from 'joi';
import type { WalletRef } from '../../domain/postings.ts';
import { param } from '../../http/context.ts';
import { given, type PageQuery, pageParameters, readPage, searchText } from '../../http/query.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { walletFunds } from '../../models/ledger/index.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import { correctTopUp, withdraw } from '../../operations/funding.ts';
import type { Moved } from '../../operations/move-once.ts';
import { addTestFunding, topUp } from '../../operations/wallets.ts';
import type { ApiDeps } from '../deps.ts';
import {
  checkQuery,
  type OperationRoutes,
  type OperatorState,
  type RouteResponse,
  requirePermission,
} from './context.ts';

const ledgerSchema = Joi.object<PageQuery & { account?: string; reward?: string }>({
  account: searchText,
  reward: searchText,
  ...pageParameters,
});

/** A transaction of a wallet's ledger. */
export function presentEntry({ _id, ...entry }: EntryDoc) {
  return { transactionId: _id, ...entry };
}

/** Top-ups and what takes them back, test funding, wallets and ledgers (docs/concepts/money.md). */
export function moneyRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  operations.route('post', '/partners/:partnerId/top-ups', topUp, {
    body: true,
    respond: (moved, { partnerId }) => presentMoved({ mode: 'LIVE', partnerId }, moved),
  });

  operations.route('post', '/partners/:partnerId/withdrawals', withdraw, {
    body: true,
    respond: (moved, { partnerId }) => presentMoved({ mode: 'LIVE', partnerId }, moved),
  });
  operations.route('post', '/partners/:partnerId/corrections', correctTopUp, {
    body: true,
    respond: (moved, { partnerId }) => presentMoved({ mode: 'LIVE', partnerId }, moved),
  });

  router.get('/partners/:partnerId/wallet', requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    ctx.body = await presentWallet({ mode: 'LIVE', partnerId });
  });

  router.get('/partners/:partnerId/ledger', requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const { account, reward, ...paging } = checkQuery(ctx, ledgerSchema);
    const conditions = given({
      partnerId,
      mode: 'LIVE',
      'postings.account': account,
      rewardId: reward,
    });
    ctx.body = await readPage(models.ledger, conditions, paging, presentEntry);
  });

  operations.route('post', '/partners/:partnerId/test-funding', addTestFunding, {
    body: true,
    respond: (moved, { partnerId }) => presentMoved({ mode: 'TEST', partnerId }, moved),
  });

  router.get('/partners/:partnerId/test-funding', requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    ctx.body = await presentWallet({ mode: 'TEST', partnerId });
  });

  async function presentMoved(wallet: WalletRef, { entry, isNew }: Moved): Promise<RouteResponse> {
    const body = { transaction: presentEntry(entry), wallet: await presentWallet(wallet) };
    return { status: isNew ? 201 : 200, body };
  }

  async function presentWallet(wallet: WalletRef) {
    const { currency } = await findPartner(models, wallet.partnerId);
    return { ...wallet, currency, ...(await walletFunds(models, wallet)) };
  }
}
