import type { Router } from '@koa/router';
import Joi from 'joi';
import { customerOfContact } from '../../models/identity/customer-of-contact.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { type CustomerRef, customerHoldings, findCustomer } from '../../models/ledger/index.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { eraseCustomer } from '../../operations/customers/erase.ts';
import { redeem } from '../../operations/customers/redeem.ts';
import { shortText } from '../../operations/fields.ts';
import type { ApiDeps } from '../deps.ts';
import { actorOf } from './actor.ts';
import { bodyOf, jsonBody, type OperatorState, param } from './context.ts';
import { presentEntry } from './money.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

const contactSchema = Joi.object<{ email?: string; phone?: string }>({
  email: shortText(320),
  phone: shortText(32),
}).xor('email', 'phone');

/** Customers' balances and redemptions (docs/domain.md, Accounting), and their erasure. */
export function customerRoutes(
  router: Router<OperatorState>,
  deps: ApiDeps,
  operations: OperationRoutes,
): void {
  const { models, config } = deps;

  router.get('/customers/:customerId', requirePermission('read'), async (ctx) => {
    const customer = await findCustomer(models, param(ctx, 'customerId'));
    const { partnerId, customerId: targetId } = customer;
    await auditRead(deps, actorOf(ctx), { action: 'customer.read', partnerId, targetId });
    ctx.body = await presentCustomer(customer);
  });

  operations.route('post', '/customers/:customerId/redemptions', redeem, {
    body: true,
    async respond({ entry, isNew }, { customerId }) {
      const customer = { partnerId: entry.partnerId, customerId };
      const body = { transaction: presentEntry(entry), customer: await presentCustomer(customer) };
      return { status: isNew ? 201 : 200, body };
    },
  });

  operations.route('post', '/customers/:customerId/erasure', eraseCustomer, {
    body: true,
    respond({ erasure, isNew }) {
      const { _id: erasureId, partnerId, customerId, reference, erasedAt } = erasure;
      const body = { erasureId, partnerId, customerId, reference, erasedAt };
      return { status: isNew ? 201 : 200, body };
    },
  });

  // A POST, because URLs are logged and must not contain a customer's address.
  router.post(
    '/partners/:partnerId/customer-lookup',
    requirePermission('read'),
    jsonBody,
    async (ctx) => {
      const partner = await findPartner(models, param(ctx, 'partnerId'));
      const { _id: partnerId } = partner;
      const contact = bodyOf(ctx, contactSchema);
      const customerId = customerOfContact(config.customerHashKey, partner, contact);
      await auditRead(deps, actorOf(ctx), {
        action: 'customer.read',
        partnerId,
        targetId: customerId,
      });
      ctx.body = { customerId, partnerId };
    },
  );

  async function presentCustomer(customer: CustomerRef) {
    const { partnerId, customerId } = customer;
    return { customerId, partnerId, ...(await customerHoldings(models, customer)) };
  }
}
