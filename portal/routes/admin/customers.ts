import Joi from 'joi';
import { customerOfContact } from '../../../deeds/customer-of-contact.ts';
import type { FourEyes } from '../../../deeds/four-eyes.ts';
import { liveAccounts } from '../../../domain/accounts.ts';
import { modes } from '../../../domain/events.ts';
import { needsTwo } from '../../../domain/four-eyes.ts';
import { findPartner } from '../../../models/commands/find.ts';
import type { Redemption } from '../../../models/commands/redeem.ts';
import { customerHoldings, findCustomer } from '../../../models/ledger/index.ts';
import { type PageContext, param, redirect } from '../../context.ts';
import { noteRead } from '../../deeds.ts';
import type { PortalDeps } from '../../deps.ts';
import { referenceField } from '../../fields.ts';
import { emptyForm, FieldError, type Filled } from '../../forms.ts';
import {
  badge,
  code,
  emptyState,
  facts,
  linkButton,
  section,
  table,
} from '../../html/components.ts';
import { field, form } from '../../html/form.ts';
import { money, number, numberText, time } from '../../html/format.ts';
import { html, nothing } from '../../html/html.ts';
import { adminPaths, crumbsOfPartner, to } from '../../html/links.ts';
import { dueBadge } from '../../html/review.ts';
import { twoNotice } from '../../html/two-notice.ts';
import { view } from '../../html/view.ts';
import { hasPermission } from '../../middleware/authorize.ts';
import { nothingHere } from '../../middleware/well-formed.ts';
import type { Routes } from '../../route-table.ts';
import { undertake } from '../../undertake.ts';

/** The newest of each; the lists have all. */
const maxRows = 25;

const redeemSchema = Joi.object<Redemption>({
  points: Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER).required().messages({
    'any.required': 'Enter a number of points.',
    'number.base': 'Enter a number of points.',
    'number.integer': 'Points are whole.',
    'number.min': 'At least one point.',
  }),
  reference: referenceField.required(),
});

/** What a customer of a partner holds, and what became of their rewards; whoever it is stays hidden. */
export function adminCustomerPages(routes: Routes, deps: PortalDeps, fourEyes: FourEyes): void {
  const { models, ledger, config, now } = deps;
  const ofCustomer = {
    path: '/admin/customers/:customerId',
    params: { customerId: 'customer' },
    audience: 'operator',
  } as const;

  routes.page({ ...ofCustomer, permission: 'read' }, async (ctx) => {
    const customerKey = param(ctx, 'customerId');
    const rewards = await models.rewards
      .find({ customerKey })
      .sort({ _id: -1 })
      .limit(maxRows)
      .lean();
    const partnerId = rewards[0]?.partnerId;
    if (partnerId === undefined) throw nothingHere();
    await noteRead(deps, ctx, { action: 'customer.read', partnerId, targetId: customerKey });
    const reviewIds = rewards.flatMap(({ review }) => (review ? [review.reviewId] : []));
    const [partner, { points, owedCents }, entries, reviews] = await Promise.all([
      findPartner(models, partnerId),
      customerHoldings(ledger, { partnerId, customerId: customerKey }),
      models.ledger
        .find({ partnerId, 'postings.account': liveAccounts.points.customer(customerKey) })
        .sort({ 'postings.seq': -1 })
        .limit(maxRows)
        .lean(),
      models.reviews
        .find({ partnerId, _id: { $in: reviewIds } })
        .sort({ _id: -1 })
        .lean(),
    ]);
    const { currency } = partner;
    const account = liveAccounts.points.customer(customerKey);
    const path = adminPaths.CUSTOMER + customerKey;
    const may = (permission: 'customer.redeem' | 'customer.erase') =>
      hasPermission(ctx.state.viewer, permission);
    view(
      ctx,
      {
        title: 'Customer',
        crumbs: crumbsOfPartner(partner),
        lead: code(customerKey, { canCopy: true }),
        actions: html`${
          points > 0 && may('customer.redeem')
            ? linkButton(`${path}/redeem`, 'Redeem points …', 'secondary')
            : nothing
        }${may('customer.erase') ? linkButton(`${path}/erase`, 'Erase …', 'secondary') : nothing}`,
      },
      section(
        'Holds, in LIVE',
        facts([
          ['Points', number(points)],
          ['Owed', money(owedCents, currency)],
        ]),
      ),
      section(
        'Rewards',
        table({
          caption: 'The newest rewards',
          columns: [
            { heading: 'Order', cell: (one) => to('REWARD', one._id, one.externalOrderId) },
            { heading: 'Mode', cell: ({ mode }) => badge(mode) },
            { heading: 'State', cell: ({ status }) => badge(status) },
            { heading: 'Points', cell: (one) => number(one.points), isNumber: true },
            { heading: 'Created', cell: ({ createdAt }) => time(createdAt) },
          ],
          rows: rewards,
          empty: nothing,
        }),
        rewards.length < maxRows
          ? nothing
          : html`<p class="after"><a href="/admin/rewards?customer=${customerKey}">All of them</a></p>`,
      ),
      section(
        'Reviews',
        table({
          caption: 'Reviews of these rewards',
          columns: [
            { heading: 'Order', cell: (one) => to('REVIEW', one._id, one.externalOrderId) },
            { heading: 'Points', cell: (one) => number(one.points), isNumber: true },
            { heading: 'State', cell: (one) => dueBadge(one, now()) },
          ],
          rows: reviews,
          empty: emptyState('No review', 'None of these rewards was refunded after its claim.'),
        }),
      ),
      section(
        'Points, in LIVE',
        table({
          caption: 'What moved the points',
          columns: [
            {
              heading: 'When',
              cell: (one) => to('TRANSACTION', one._id, one.at.toISOString().slice(0, 10)),
            },
            { heading: 'Kind', cell: ({ kind }) => kind },
            {
              heading: 'Points',
              cell: ({ postings }) =>
                number(postings.find((one) => one.account === account)?.amount ?? 0),
              isNumber: true,
            },
            {
              heading: 'Balance after',
              cell: ({ postings }) =>
                number(postings.find((one) => one.account === account)?.balanceAfter ?? 0),
              isNumber: true,
            },
          ],
          rows: entries,
          empty: emptyState('Nothing moved', 'A LIVE claim gives the first points.'),
        }),
      ),
    );
  });

  const redeeming = {
    ...ofCustomer,
    path: `${ofCustomer.path}/redeem`,
    permission: 'customer.redeem',
    secondFactor: true,
  } as const;

  async function showRedeem(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const customer = await findCustomer(models, param(ctx, 'customerId'), modes);
    const { partnerId, customerId: targetId } = customer;
    await noteRead(deps, ctx, { action: 'customer.read', partnerId, targetId });
    const [partner, { points, owedCents }] = await Promise.all([
      findPartner(models, partnerId),
      customerHoldings(ledger, customer),
    ]);
    view(
      ctx,
      {
        title: 'Redeem points',
        crumbs: [...crumbsOfPartner(partner), ['Customer', adminPaths.CUSTOMER + targetId]],
        lead: html`The customer holds ${number(points)} points, for which ${money(owedCents, partner.currency)} are owed. Each point takes its share.`,
        mode: 'LIVE',
      },
      html`<div class="card narrow">${form(
        ctx,
        { action: ctx.path, submit: 'Redeem', filled },
        field({
          ...{ name: 'points', label: 'Points', filled, isRequired: true, inputmode: 'numeric' },
          hint: config.fourEyes.isOn
            ? `More than ${numberText(config.fourEyes.redemptionPoints)} need a second operator.`
            : undefined,
        }),
        field({
          ...{ name: 'reference', label: 'Reference', filled, isRequired: true, maxLength: 160 },
          hint: 'Such as the till’s receipt. The same reference moves nothing twice.',
        }),
      )}</div>`,
    );
  }

  routes.page(redeeming, (ctx) => showRedeem(ctx));
  routes.action(redeeming, {
    schema: redeemSchema,
    async act(ctx, redemption) {
      const customer = await findCustomer(models, param(ctx, 'customerId'), modes);
      const asked = { customer, redemption };
      await undertake(fourEyes, ctx, 'customer.redeem', asked, ({ entry, isNew }) =>
        redirect(
          ctx,
          adminPaths.CUSTOMER + customer.customerId,
          isNew
            ? `${numberText(redemption.points)} points are spent.`
            : `This reference was used before, as ${entry._id}: nothing moved.`,
        ),
      );
    },
    retry: showRedeem,
  });

  const erasing = {
    ...ofCustomer,
    path: `${ofCustomer.path}/erase`,
    permission: 'customer.erase',
    secondFactor: true,
  } as const;

  async function showErase(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const { partnerId, customerId } = await findCustomer(models, param(ctx, 'customerId'), modes);
    const partner = await findPartner(models, partnerId);
    view(
      ctx,
      {
        title: 'Erase the customer',
        crumbs: [...crumbsOfPartner(partner), ['Customer', adminPaths.CUSTOMER + customerId]],
        lead: 'Whatever was sealed for them until now is unreadable from then on, everywhere and for good. Points, rewards and the books stay.',
      },
      html`<div class="card narrow">${needsTwo(config.fourEyes, { action: 'customer.erase' }) ? twoNotice : nothing}${form(
        ctx,
        { action: ctx.path, submit: 'Erase the customer', filled, isDangerous: true },
        field({
          ...{ name: 'reference', label: 'Reference', filled, isRequired: true, maxLength: 160 },
          hint: 'Of the request to be erased, such as “request 42”. Name nobody in it.',
        }),
      )}</div>`,
    );
  }

  routes.page(erasing, (ctx) => showErase(ctx));
  routes.action(erasing, {
    schema: Joi.object<{ reference: string }>({ reference: referenceField.required() }),
    async act(ctx, { reference }) {
      const customer = await findCustomer(models, param(ctx, 'customerId'), modes);
      await undertake(fourEyes, ctx, 'customer.erase', { customer, reference }, () =>
        redirect(ctx, adminPaths.CUSTOMER + customer.customerId, 'The customer is erased.'),
      );
    },
    retry: showErase,
  });

  const finding = {
    path: '/admin/partners/:partnerId/find-customer',
    params: { partnerId: 'partner' },
    audience: 'operator',
    permission: 'read',
  } as const;

  async function showFind(ctx: PageContext<'operator'>, filled: Filled = emptyForm) {
    const partner = await findPartner(models, param(ctx, 'partnerId'));
    view(
      ctx,
      {
        title: 'Find a customer',
        crumbs: crumbsOfPartner(partner),
        lead: `Of ${partner.name}, by what the partner sent. The look is kept in the audit trail, what you type is not.`,
      },
      html`<div class="card narrow">${form(
        ctx,
        { action: ctx.path, submit: 'Find', filled },
        field({
          ...{ name: 'contact', label: 'E-mail or phone', filled, isRequired: true },
          ...{ maxLength: 255, autocomplete: 'off' },
        }),
      )}</div>`,
    );
  }

  routes.page(finding, (ctx) => showFind(ctx));
  // A form that is sent, so that nobody's address stands in a URL.
  routes.action(finding, {
    schema: Joi.object<{ contact: string }>({
      contact: Joi.string().trim().max(255).required().messages({
        'any.required': 'Enter an e-mail address or a phone number.',
      }),
    }),
    async act(ctx, { contact }) {
      const partner = await findPartner(models, param(ctx, 'partnerId'));
      const { _id: partnerId } = partner;
      const known = contact.includes('@') ? { email: contact } : { phone: contact };
      const targetId = customerOfContact(config.customerHashKey, partner, known);
      await noteRead(deps, ctx, { action: 'customer.read', partnerId, targetId });
      if (!(await models.rewards.exists({ customerKey: targetId, partnerId }))) {
        throw new FieldError('contact', 'This partner has had no customer with it.');
      }
      redirect(ctx, adminPaths.CUSTOMER + targetId);
    },
    retry: showFind,
  });
}
