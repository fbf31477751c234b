import type { Router } from '@koa/router';
import Joi from 'joi';
import type { WalletRef } from '../../domain/events.ts';
import { type Deposit, deposit, maxDepositCents } from '../../models/commands/deposit.ts';
import { findIntegration, findPartner } from '../../models/commands/find.ts';
import { references, waitingIn, walletBalances } from '../../models/ledger/index.ts';
import type { EntryDoc } from '../../models/schemas/entry.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminContext, type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { type MovingDeed, recordDeedOnce } from './deeds.ts';
import { movementReference } from './fields.ts';
import { given, type PageQuery, page, pageParameters, searchText } from './paging.ts';

const depositSchema = Joi.object<Deposit>({
  amountCents: Joi.number().integer().min(1).max(maxDepositCents).required(),
  externalReference: movementReference.required(),
});

const ledgerSchema = Joi.object<PageQuery & { account?: string; reward?: string }>({
  account: searchText,
  reward: searchText,
  ...pageParameters,
});

/** A transaction of the ledger, or of test funding. */
export function presentEntry({ _id, ...entry }: EntryDoc) {
  return { transactionId: _id, ...entry };
}

/** Money that comes in, and where it stands (domain, Accounting). */
export function moneyRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  const { models, ledger, messenger } = deps;

  router.post('/partners/:partnerId/top-ups', jsonBody, async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    await putIn(ctx, { mode: 'LIVE', partnerId }, 'partner.top-up', partnerId);
  });

  router.get('/partners/:partnerId/wallet', async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    ctx.body = await presentWallet({ mode: 'LIVE', partnerId });
  });

  router.get('/partners/:partnerId/ledger', async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const { account, reward, ...paging } = queryOf(ctx, ledgerSchema);
    const conditions = given({
      partnerId,
      'postings.account': account,
      reference: reward && { $in: references.ofReward(reward) },
    });
    ctx.body = await page(models.ledger, conditions, paging, presentEntry);
  });

  router.post('/integrations/:integrationId/test-funding', jsonBody, async (ctx) => {
    const wallet = await testWallet(ctx);
    await putIn(ctx, wallet, 'integration.test-funding', wallet.integrationId);
  });

  router.get('/integrations/:integrationId/test-funding', async (ctx) => {
    ctx.body = await presentWallet(await testWallet(ctx));
  });

  async function testWallet(ctx: AdminContext) {
    const { _id, partnerId } = await findIntegration(models, param(ctx, 'integrationId'));
    return { mode: 'TEST' as const, partnerId, integrationId: _id };
  }

  /** A repeat wakes the wallet's workflow too: the process of the first may have ended before that. */
  async function putIn(
    ctx: AdminContext,
    wallet: WalletRef,
    action: MovingDeed['action'],
    targetId: string,
  ): Promise<void> {
    const input = bodyOf(ctx, depositSchema);
    const { entry, isNew } = await deposit(deps, wallet, input);
    const { amountCents, externalReference: reference } = input;
    const details = { reference, amountCents };
    const { partnerId } = wallet;
    await recordDeedOnce(deps, ctx, { action, targetId, partnerId, details }, isNew);
    await messenger.wakeWallet(wallet);
    ctx.status = isNew ? 201 : 200;
    ctx.body = { transaction: presentEntry(entry), wallet: await presentWallet(wallet) };
  }

  async function presentWallet(wallet: WalletRef) {
    const [balances, waiting] = await Promise.all([
      walletBalances(ledger, wallet),
      waitingIn(models, wallet),
    ]);
    const { currency } = await findPartner(models, wallet.partnerId);
    return { ...wallet, currency, ...balances, ...waiting };
  }
}
