import { liveAccounts } from '../../../../domain/accounts.ts';
import type { CustomerRef } from '../../../../models/ledger/index.ts';
import type { PartnerDoc } from '../../../../models/schemas/partner.ts';
import {
  type Customer,
  type Holdings,
  maxCustomerRows,
} from '../../../../models/views/customers.ts';
import type { PageContext } from '../../../context.ts';
import type { Filled } from '../../../forms/submit.ts';
import { hasPermission } from '../../../middleware/authorize.ts';
import { approvalNotice } from '../../approval-notice.ts';
import { badge, code, emptyState, facts, linkButton, section, table } from '../../components.ts';
import { field, form } from '../../form.ts';
import { minuteText, money, moneyText, number, time } from '../../format.ts';
import { html, nothing } from '../../html.ts';
import { adminPaths, crumbsOfPartner, to } from '../../links.ts';
import { dueBadge } from '../../review.ts';
import { type Page, page } from '../../view.ts';

export function customerPage(
  ctx: PageContext<'operator'>,
  { customerId, partner, rewards, holdings, entries, reviews }: Customer,
  nowMs: number,
): Page {
  const { points, owedCents } = holdings;
  const { currency } = partner;
  const account = liveAccounts.points.customer(customerId);
  const path = adminPaths.CUSTOMER + customerId;
  const may = (permission: 'customer.redeem' | 'customer.erase') =>
    hasPermission(ctx.state.viewer, permission);
  return page(
    {
      title: 'Customer',
      crumbs: crumbsOfPartner(partner),
      lead: code(customerId, { canCopy: true }),
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
      rewards.length < maxCustomerRows
        ? nothing
        : html`<p class="after"><a href="/admin/rewards?customer=${customerId}">All of them</a></p>`,
    ),
    section(
      'Reviews',
      table({
        caption: 'Reviews of these rewards',
        columns: [
          { heading: 'Order', cell: (one) => to('REVIEW', one._id, one.externalOrderId) },
          { heading: 'Points', cell: (one) => number(one.points), isNumber: true },
          { heading: 'State', cell: (one) => dueBadge(one, nowMs) },
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
            cell: (one) => to('TRANSACTION', one._id, minuteText(one.at)),
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
}

/** @param approvalAbove how many cents one operator may redeem alone on a day; null where there is no limit */
export function redeemPage(
  ctx: PageContext<'operator'>,
  { customerId, partner, holdings }: Holdings,
  { approvalAbove, filled }: { approvalAbove: number | null; filled: Filled },
): Page {
  const { points, owedCents } = holdings;
  return page(
    {
      title: 'Redeem points',
      crumbs: [...crumbsOfPartner(partner), ['Customer', adminPaths.CUSTOMER + customerId]],
      lead: html`The customer holds ${number(points)} points, worth ${money(owedCents, partner.currency)} in all. Each point redeemed takes its share of that.`,
      mode: 'LIVE',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'Redeem', filled },
      field({
        ...{ name: 'points', label: 'Points', filled, isRequired: true, inputmode: 'numeric' },
        hint:
          approvalAbove !== null
            ? `Beyond ${moneyText(approvalAbove, partner.currency)} on a day, of a customer, of a partner or by one operator, it takes a second one.`
            : undefined,
      }),
      field({
        ...{ name: 'reference', label: 'Reference', filled, isRequired: true, maxLength: 160 },
        hint: 'Such as the receipt number. A reference is booked only once.',
      }),
    )}</div>`,
  );
}

export function erasePage(
  ctx: PageContext<'operator'>,
  { customerId, partner }: Holdings,
  { needsApproval, filled }: { needsApproval: boolean; filled: Filled },
): Page {
  return page(
    {
      title: 'Erase the customer',
      crumbs: [...crumbsOfPartner(partner), ['Customer', adminPaths.CUSTOMER + customerId]],
      lead: 'Everything encrypted for them so far becomes unreadable, everywhere and permanently. Points, rewards and the ledger stay.',
    },
    html`<div class="card narrow">${needsApproval ? approvalNotice : nothing}${form(
      ctx,
      { action: ctx.path, submit: 'Erase the customer', filled, isDangerous: true },
      field({
        ...{ name: 'reference', label: 'Reference', filled, isRequired: true, maxLength: 160 },
        hint: 'Of the erasure request, such as “request 42”. Do not include names.',
      }),
    )}</div>`,
  );
}

/** @param partner whose customers are looked among; null for everyone's */
export function findCustomerPage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc | null,
  filled: Filled,
): Page {
  return page(
    {
      title: 'Find a customer',
      crumbs: partner === null ? [['Search', '/admin/search']] : crumbsOfPartner(partner),
      lead: `${partner?.name ?? 'All partners'}. Enter the address or number that the partner reported. The search is kept in the audit log; what you type is not.`,
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: 'Find', filled },
      field({
        ...{ name: 'contact', label: 'Email or phone', filled, isRequired: true },
        ...{ maxLength: 255, autocomplete: 'off' },
      }),
    )}</div>`,
  );
}

/** The same person at several partners, each of which knows them by another id. */
export function foundCustomersPage(
  found: readonly CustomerRef[],
  nameOf: ReadonlyMap<string, string>,
): Page {
  return page(
    { title: 'Customers found', crumbs: [['Find a customer', '/admin/find-customer']] },
    html`<section class="card">${table({
      caption: 'Customers',
      columns: [
        { heading: 'Customer', cell: ({ customerId }) => to('CUSTOMER', customerId, customerId) },
        {
          heading: 'Partner',
          cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
        },
      ],
      rows: found,
      empty: nothing,
    })}</section>`,
  );
}
