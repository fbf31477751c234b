import type { Router } from '@koa/router';
import Joi from 'joi';
import { liveAccounts } from '../../domain/accounts.ts';
import { type Redemption, redeem } from '../../models/commands/redeem.ts';
import { type CustomerRef, findCustomer } from '../../models/ledger/index.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param } from './context.ts';
import { recordDeedOnce } from './deeds.ts';
import { movementReference } from './fields.ts';
import { presentEntry } from './money.ts';

const redemptionSchema = Joi.object<Redemption>({
  points: Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER).required(),
  reference: movementReference.required(),
});

/** What customers hold, and what they spend (domain, Accounting). */
export function customerRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  const { models, ledger } = deps;

  router.get('/customers/:customerId', async (ctx) => {
    ctx.body = await presentCustomer(await findCustomer(models, param(ctx, 'customerId')));
  });

  router.post('/customers/:customerId/redemptions', jsonBody, async (ctx) => {
    const customer = await findCustomer(models, param(ctx, 'customerId'));
    const input = bodyOf(ctx, redemptionSchema);
    const { entry, isNew } = await redeem(deps, customer, input);
    const { partnerId, customerId } = customer;
    await recordDeedOnce(
      deps,
      ctx,
      { action: 'customer.redeem', targetId: customerId, partnerId, details: { ...input } },
      isNew,
    );
    ctx.status = isNew ? 201 : 200;
    ctx.body = { transaction: presentEntry(entry), customer: await presentCustomer(customer) };
  });

  async function presentCustomer({ partnerId, customerId }: CustomerRef) {
    const [points, owedCents] = await Promise.all(
      [liveAccounts.points.customer(customerId), liveAccounts.payable(customerId)].map((account) =>
        ledger.live.balanceOf(partnerId, account),
      ),
    );
    return { customerId, partnerId, points, owedCents };
  }
}
