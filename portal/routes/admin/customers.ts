import Joi from 'joi';
import { auditRead } from '../../../operations/audit-log.ts';
import {
  eraseCustomer,
  type Redemption,
  redeem as redeemPoints,
} from '../../../operations/customers.ts';
import { execute } from '../../../operations/execute.ts';
import { needsApproval } from '../../../operations/needs-approval.ts';
import {
  findCustomersByContact,
  lookUpCustomers,
  readCustomer,
  readRewardsOfCustomer,
} from '../../../views/customers.ts';
import { readPartnerNames } from '../../../views/names.ts';
import { readPartner } from '../../../views/partners.ts';
import { pointsWords } from '../../components/format.ts';
import { operatorPaths } from '../../components/links.ts';
import { render } from '../../components/view.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import type { PageDeps } from '../../deps.ts';
import { contactOfText, contactSchema, countField, referenceField } from '../../forms/fields.ts';
import { emptyForm, FieldError, type Filled } from '../../forms/submit.ts';
import { orNotFound } from '../../middleware/form.ts';
import { actorOf, whenDone } from '../../operate.ts';
import { customerPage, findCustomerPage, foundCustomersPage } from '../../pages/admin/customers.ts';
import type { Routes } from '../../routing/route-table.ts';

const redeemSchema = Joi.object<Omit<Redemption, 'customerId'>>({
  points: countField(1).required().messages({ 'any.required': 'Enter the number of points.' }),
  reference: referenceField.required(),
});

const eraseSchema = Joi.object<{ reference: string }>({ reference: referenceField.required() });
const ofCustomer = {
  path: '/admin/customers/:customerId',
  params: { customerId: 'customer' },
  audience: 'operator',
} as const;
const redeeming = {
  ...ofCustomer,
  path: `${ofCustomer.path}/redeem`,
  permission: 'customer.redeem',
  secondFactor: true,
} as const;
const erasing = {
  ...ofCustomer,
  path: `${ofCustomer.path}/erase`,
  permission: 'customer.erase',
  secondFactor: true,
} as const;
const finding = {
  path: '/admin/partners/:partnerId/find-customer',
  params: { partnerId: 'partner' },
  audience: 'operator',
  permission: 'read',
} as const;
const findingOfAll = {
  path: '/admin/find-customer',
  audience: 'operator',
  permission: 'read',
} as const;

/** A customer's balance and rewards, without personal data. */
export function operatorCustomerPages(routes: Routes): void {
  routes.page({ ...ofCustomer, permission: 'read' }, showCustomer);
  routes.action(redeeming, { schema: redeemSchema, act: redeem, retry: showCustomer });
  routes.action(erasing, { schema: eraseSchema, act: erase, retry: showCustomer });
  routes.page(finding, showFind);
  // A POST, so that no URL contains a contact.
  routes.action(finding, { schema: contactSchema, act: find, retry: showFind });
  routes.page(findingOfAll, showFindOfAll);
  routes.action(findingOfAll, { schema: contactSchema, act: findOfAll, retry: showFindOfAll });
}

async function showCustomer(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled?: Filled,
): Promise<void> {
  const customerId = param(ctx, 'customerId');
  const owned = orNotFound(await readRewardsOfCustomer(deps, customerId));
  const { partnerId } = owned;
  await auditRead(deps, actorOf(ctx), { action: 'customer.read', partnerId, targetId: customerId });
  const { isOn, redemptionCents } = deps.config.approvals;
  const forms = {
    filled,
    approvalAbove: isOn ? redemptionCents : null,
    erasureNeedsTwo: needsApproval(deps.config, eraseCustomer, {}),
  };
  render(ctx, customerPage(ctx, await readCustomer(deps, customerId, owned), deps.now(), forms));
}

async function redeem(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  redemption: Omit<Redemption, 'customerId'>,
): Promise<void> {
  const customerId = param(ctx, 'customerId');
  const input = { customerId, ...redemption };
  const executed = await execute(deps, redeemPoints, actorOf(ctx), input);
  await whenDone(ctx, executed, ({ entry, isNew }) =>
    redirect(
      ctx,
      operatorPaths.CUSTOMER + customerId,
      isNew
        ? `${pointsWords(redemption.points)} redeemed.`
        : `This reference was already used for ${entry._id}: nothing was booked.`,
    ),
  );
}

async function erase(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { reference }: { reference: string },
): Promise<void> {
  const customerId = param(ctx, 'customerId');
  const executed = await execute(deps, eraseCustomer, actorOf(ctx), { customerId, reference });
  await whenDone(ctx, executed, () =>
    redirect(ctx, operatorPaths.CUSTOMER + customerId, 'Customer erased.'),
  );
}

async function showFind(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  filled: Filled = emptyForm,
): Promise<void> {
  const partner = await readPartner(deps, param(ctx, 'partnerId'));
  render(ctx, findCustomerPage(ctx, partner, filled));
}

async function find(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { contact }: { contact: string },
): Promise<void> {
  const partner = await readPartner(deps, param(ctx, 'partnerId'));
  const { _id: partnerId } = partner;
  const { customerHashKey } = deps.config;
  const looked = await lookUpCustomers(deps, customerHashKey, partner, contactOfText(contact));
  const [first = looked.customerId, ...others] = looked.found;
  for (const targetId of [first, ...others]) {
    await auditRead(deps, actorOf(ctx), { action: 'customer.read', partnerId, targetId });
  }
  if (looked.found.length === 0)
    throw new FieldError('contact', 'This partner has no customer with this email or phone.');
  if (others.length === 0) return redirect(ctx, operatorPaths.CUSTOMER + first);
  const rows = looked.found.map((customerId) => ({ customerId, partnerId }));
  render(ctx, foundCustomersPage(rows, await readPartnerNames(deps, rows)));
}

function showFindOfAll(
  ctx: PageContext<'operator'>,
  _deps: PageDeps,
  filled: Filled = emptyForm,
): void {
  render(ctx, findCustomerPage(ctx, null, filled));
}

/** Finds a customer at all partners. The audit log records each match, and also a search without a match. */
async function findOfAll(
  ctx: PageContext<'operator'>,
  deps: PageDeps,
  { contact }: { contact: string },
): Promise<void> {
  const found = await findCustomersByContact(
    deps,
    deps.config.customerHashKey,
    contactOfText(contact),
  );
  const looks = found.map(({ partnerId, customerId: targetId }) => ({ partnerId, targetId }));
  for (const look of looks.length === 0 ? [{ partnerId: null, targetId: null }] : looks) {
    await auditRead(deps, actorOf(ctx), { action: 'customer.read', ...look });
  }
  const [first] = found;
  if (!first)
    throw new FieldError('contact', 'No partner has a customer with this email or phone.');
  if (found.length === 1) return redirect(ctx, operatorPaths.CUSTOMER + first.customerId);
  render(ctx, foundCustomersPage(found, await readPartnerNames(deps, found)));
}
