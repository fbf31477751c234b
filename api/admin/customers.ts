import type { Router } from '@koa/router';
import Joi from 'joi';
import { liveAccounts } from '../../domain/accounts.ts';
import type { Redemption } from '../../models/commands/redeem.ts';
import { type CustomerRef, findCustomer } from '../../models/ledger/index.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param } from './context.ts';
import { noteRead } from './deeds.ts';
import { movementReference } from './fields.ts';
import type { FourEyesGuard } from './four-eyes.ts';
import { presentEntry } from './money.ts';
import { permit } from './permit.ts';

const redemptionSchema = Joi.object<Redemption>({
  points: Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER).required(),
  reference: movementReference.required(),
});

/** What customers hold, and what they spend (domain, Accounting). */
export function customerRoutes(
  router: Router<AdminState>,
  deps: ApiDeps,
  fourEyes: FourEyesGuard,
): void {
  const { models, ledger } = deps;

  const spend = fourEyes.guard('customer.redeem', async ({ entry, isNew }, { customer }) => {
    const body = { transaction: presentEntry(entry), customer: await presentCustomer(customer) };
    return { status: isNew ? 201 : 200, body };
  });

  router.get('/customers/:customerId', permit('read'), async (ctx) => {
    const customer = await findCustomer(models, param(ctx, 'customerId'));
    const { partnerId, customerId: targetId } = customer;
    await noteRead(deps, ctx, { action: 'customer.read', partnerId, targetId });
    ctx.body = await presentCustomer(customer);
  });

  router.post(
    '/customers/:customerId/redemptions',
    permit('customer.redeem'),
    jsonBody,
    async (ctx) => {
      const { partnerId, customerId } = await findCustomer(models, param(ctx, 'customerId'));
      const redemption = bodyOf(ctx, redemptionSchema);
      await spend(ctx, { customer: { partnerId, customerId }, redemption });
    },
  );

  async function presentCustomer({ partnerId, customerId }: CustomerRef) {
    const [points, owedCents] = await Promise.all(
      [liveAccounts.points.customer(customerId), liveAccounts.payable(customerId)].map((account) =>
        ledger.live.balanceOf(partnerId, account),
      ),
    );
    return { customerId, partnerId, points, owedCents };
  }
}
