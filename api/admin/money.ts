import type { Router } from '@koa/router';
import Joi from 'joi';
import { type Deposited, fundWallet } from '../../deeds/fund-wallet.ts';
import type { WalletRef } from '../../domain/events.ts';
import { given, type PageQuery, page, pageParameters, searchText } from '../../http/paging.ts';
import { type Deposit, depositDeed, maxDepositCents } from '../../models/commands/deposit.ts';
import { findIntegration, findPartner } from '../../models/commands/find.ts';
import { references, waitingIn, walletBalances } from '../../models/ledger/index.ts';
import type { EntryDoc } from '../../models/schemas/entry.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminContext, type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { deed } from './deeds.ts';
import { movementReference } from './fields.ts';
import type { Answer, FourEyesGuard } from './four-eyes.ts';
import { permit } from './permit.ts';

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
export function moneyRoutes(
  router: Router<AdminState>,
  deps: ApiDeps,
  fourEyes: FourEyesGuard,
): void {
  const { models, ledger } = deps;

  const topUp = fourEyes.guard('partner.top-up', (deposited, { wallet }) =>
    presentDeposit(wallet, deposited),
  );

  router.post('/partners/:partnerId/top-ups', permit('partner.top-up'), jsonBody, async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const money = bodyOf(ctx, depositSchema);
    await topUp(ctx, { wallet: { mode: 'LIVE', partnerId }, money });
  });

  router.get('/partners/:partnerId/wallet', permit('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    ctx.body = await presentWallet({ mode: 'LIVE', partnerId });
  });

  router.get('/partners/:partnerId/ledger', permit('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const { account, reward, ...paging } = queryOf(ctx, ledgerSchema);
    const conditions = given({
      partnerId,
      'postings.account': account,
      reference: reward && { $in: references.ofReward(reward) },
    });
    ctx.body = await page(models.ledger, conditions, paging, presentEntry);
  });

  router.post(
    '/integrations/:integrationId/test-funding',
    permit('integration.test-funding'),
    jsonBody,
    async (ctx) => {
      const wallet = await testWallet(ctx);
      const money = bodyOf(ctx, depositSchema);
      const deposited = await deed(deps, ctx, depositDeed(wallet, money), () =>
        fundWallet(deps, wallet, money),
      );
      Object.assign(ctx, await presentDeposit(wallet, deposited));
    },
  );

  router.get('/integrations/:integrationId/test-funding', permit('read'), async (ctx) => {
    ctx.body = await presentWallet(await testWallet(ctx));
  });

  async function testWallet(ctx: AdminContext) {
    const { _id, partnerId } = await findIntegration(models, param(ctx, 'integrationId'));
    return { mode: 'TEST' as const, partnerId, integrationId: _id };
  }

  async function presentDeposit(wallet: WalletRef, { entry, isNew }: Deposited): Promise<Answer> {
    const body = { transaction: presentEntry(entry), wallet: await presentWallet(wallet) };
    return { status: isNew ? 201 : 200, body };
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
