import type { Router } from '@koa/router';
import Joi from 'joi';
import { customerOfContact } from '../../deeds/customer-of-contact.ts';
import { modes } from '../../domain/events.ts';
import { findPartner } from '../../models/commands/find.ts';
import type { Redemption } from '../../models/commands/redeem.ts';
import { type CustomerRef, customerHoldings, findCustomer } from '../../models/ledger/index.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param } from './context.ts';
import { noteRead } from './deeds.ts';
import { movementReference, shortText } from './fields.ts';
import type { FourEyesGuard } from './four-eyes.ts';
import { presentEntry } from './money.ts';
import { permit } from './permit.ts';

const redemptionSchema = Joi.object<Redemption>({
  points: Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER).required(),
  reference: movementReference.required(),
});

const erasureSchema = Joi.object<{ reference: string }>({
  reference: movementReference.required(),
});

const contactSchema = Joi.object<{ email?: string; phone?: string }>({
  email: shortText(320),
  phone: shortText(32),
}).xor('email', 'phone');

/** What customers hold, what they spend (domain, Accounting), and how they are erased. */
export function customerRoutes(
  router: Router<AdminState>,
  deps: ApiDeps,
  fourEyes: FourEyesGuard,
): void {
  const { models, ledger, config } = deps;

  const spend = fourEyes.guard('customer.redeem', async ({ entry, isNew }, { customer }) => {
    const body = { transaction: presentEntry(entry), customer: await presentCustomer(customer) };
    return { status: isNew ? 201 : 200, body };
  });

  const erase = fourEyes.guard('customer.erase', (erased, { customer, reference }) => {
    const { _id: erasureId, erasedAt } = erased.erasure;
    return {
      status: erased.isNew ? 201 : 200,
      body: { erasureId, ...customer, reference, erasedAt },
    };
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

  router.post('/customers/:customerId/erasure', permit('customer.erase'), jsonBody, async (ctx) => {
    const { reference } = bodyOf(ctx, erasureSchema);
    const customer = await findCustomer(models, param(ctx, 'customerId'), modes);
    await erase(ctx, { customer, reference });
  });

  // A POST, so that no address of a customer stands in a URL.
  router.post('/partners/:partnerId/customer-lookup', permit('read'), jsonBody, async (ctx) => {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    const { _id: partnerId } = partner;
    const contact = bodyOf(ctx, contactSchema);
    const customerId = customerOfContact(config.customerHashKey, partner, contact);
    await noteRead(deps, ctx, { action: 'customer.read', partnerId, targetId: customerId });
    ctx.body = { customerId, partnerId };
  });

  async function presentCustomer(customer: CustomerRef) {
    const { partnerId, customerId } = customer;
    return { customerId, partnerId, ...(await customerHoldings(ledger, customer)) };
  }
}
