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
import { say } from '../../../words/say.ts';
import { approvalNotice } from '../../approval-notice.ts';
import { badge, code, emptyState, facts, linkButton, section, table } from '../../components.ts';
import { field, form } from '../../form.ts';
import { minuteText, money, moneyText, number, time } from '../../format.ts';
import { type Html, html, nothing } from '../../html.ts';
import { crumbsOfPartner, operatorPaths, to } from '../../links.ts';
import { dueBadge } from '../../review.ts';
import { type Page, page } from '../../view.ts';

export function customerPage(
  ctx: PageContext<'operator'>,
  { customerId, partner, rewards, holdings, entries, reviews }: Customer,
  nowMs: number,
): Page {
  const { points, owedCents } = holdings;
  const path = operatorPaths.CUSTOMER + customerId;
  const may = (permission: 'customer.redeem' | 'customer.erase') =>
    hasPermission(ctx.state.viewer, permission);
  return page(
    {
      title: say('admin.customers.customer.title'),
      crumbs: crumbsOfPartner(partner),
      lead: code(customerId, { canCopy: true }),
      actions: html`${
        points > 0 && may('customer.redeem')
          ? linkButton(`${path}/redeem`, say('admin.customers.redeemPoints'), 'secondary')
          : nothing
      }${may('customer.erase') ? linkButton(`${path}/erase`, say('admin.customers.erase'), 'secondary') : nothing}`,
    },
    section(
      say('admin.customers.section.holdsInLive'),
      facts([
        [say('common.points'), number(points)],
        [say('admin.customers.owed'), money(owedCents, partner.currency)],
      ]),
    ),
    rewardsSection(rewards, customerId),
    reviewsSection(reviews, nowMs),
    pointsSection(entries, customerId),
  );
}

function rewardsSection(rewards: Customer['rewards'], customerId: string): Html {
  return section(
    say('admin.customers.section.rewards'),
    table({
      caption: say('admin.customers.customer.caption'),
      columns: [
        { heading: say('common.order'), cell: (one) => to('REWARD', one._id, one.externalOrderId) },
        { heading: say('common.mode'), cell: ({ mode }) => badge(mode) },
        { heading: say('common.state'), cell: ({ status }) => badge(status) },
        { heading: say('common.points'), cell: (one) => number(one.points), isNumber: true },
        { heading: say('common.created'), cell: ({ createdAt }) => time(createdAt) },
      ],
      rows: rewards,
      empty: nothing,
    }),
    rewards.length < maxCustomerRows
      ? nothing
      : html`<p class="after"><a href="/admin/rewards?customer=${customerId}">${say('admin.customers.allOfThem')}</a></p>`,
  );
}

function reviewsSection(reviews: Customer['reviews'], nowMs: number): Html {
  return section(
    say('admin.customers.section.reviews'),
    table({
      caption: say('admin.customers.customer.caption.reviewsRewards'),
      columns: [
        { heading: say('common.order'), cell: (one) => to('REVIEW', one._id, one.externalOrderId) },
        { heading: say('common.points'), cell: (one) => number(one.points), isNumber: true },
        { heading: say('common.state'), cell: (one) => dueBadge(one, nowMs) },
      ],
      rows: reviews,
      empty: emptyState(
        say('admin.customers.customer.empty.title'),
        say('admin.customers.customer.empty.text'),
      ),
    }),
  );
}

function pointsSection(entries: Customer['entries'], customerId: string): Html {
  const account = liveAccounts.points.customer(customerId);
  const postingIn = ({ postings }: Customer['entries'][number]) =>
    postings.find((one) => one.account === account);
  return section(
    say('admin.customers.section.pointsInLive'),
    table({
      caption: say('admin.customers.customer.caption.movedPoints'),
      columns: [
        {
          heading: say('common.when'),
          cell: (one) => to('TRANSACTION', one._id, minuteText(one.at)),
        },
        { heading: say('common.kind'), cell: ({ kind }) => kind },
        {
          heading: say('common.points'),
          cell: (one) => number(postingIn(one)?.amount ?? 0),
          isNumber: true,
        },
        {
          heading: say('admin.customers.balanceAfter'),
          cell: (one) => number(postingIn(one)?.balanceAfter ?? 0),
          isNumber: true,
        },
      ],
      rows: entries,
      empty: emptyState(
        say('admin.customers.customer.empty.title.nothingMoved'),
        say('admin.customers.customer.empty.text.liveClaim'),
      ),
    }),
  );
}

/** @param approvalAbove how many cents per day one operator can redeem alone; null if there is no limit */
export function redeemPage(
  ctx: PageContext<'operator'>,
  { customerId, partner, holdings }: Holdings,
  { approvalAbove, filled }: { approvalAbove: number | null; filled: Filled },
): Page {
  const { points, owedCents } = holdings;
  return page(
    {
      title: say('admin.customers.redeem.title'),
      crumbs: [
        ...crumbsOfPartner(partner),
        [say('common.customer'), operatorPaths.CUSTOMER + customerId],
      ],
      lead: say('admin.customers.redeem.lead', {
        points: number(points),
        owed: money(owedCents, partner.currency),
      }),
      mode: 'LIVE',
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: say('admin.customers.redeem.submit'), filled },
      field({
        name: 'points',
        label: say('common.points'),
        filled,
        isRequired: true,
        inputmode: 'numeric',
        hint:
          approvalAbove !== null
            ? say('admin.customers.points.hint', {
                approvalAbove: moneyText(approvalAbove, partner.currency),
              })
            : undefined,
      }),
      field({
        name: 'reference',
        label: say('admin.customers.reference'),
        filled,
        isRequired: true,
        maxLength: 160,
        hint: say('admin.customers.reference.hint'),
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
      title: say('admin.customers.erase.title'),
      crumbs: [
        ...crumbsOfPartner(partner),
        [say('common.customer'), operatorPaths.CUSTOMER + customerId],
      ],
      lead: say('admin.customers.erase.lead'),
    },
    html`<div class="card narrow">${needsApproval ? approvalNotice() : nothing}${form(
      ctx,
      { action: ctx.path, submit: say('admin.customers.erase.submit'), filled, isDangerous: true },
      field({
        name: 'reference',
        label: say('admin.customers.reference'),
        filled,
        isRequired: true,
        maxLength: 160,
        hint: say('admin.customers.erase.reference.hint'),
      }),
    )}</div>`,
  );
}

/** @param partner whose customers are searched; null for all partners */
export function findCustomerPage(
  ctx: PageContext<'operator'>,
  partner: PartnerDoc | null,
  filled: Filled,
): Page {
  return page(
    {
      title: say('admin.customers.findCustomer.title'),
      crumbs:
        partner === null
          ? [[say('admin.customers.search'), '/admin/search']]
          : crumbsOfPartner(partner),
      lead: say('admin.customers.findCustomer.lead', {
        name: partner?.name ?? say('admin.customers.allPartners'),
      }),
    },
    html`<div class="card narrow">${form(
      ctx,
      { action: ctx.path, submit: say('admin.customers.findCustomer.submit'), filled },
      field({
        name: 'contact',
        label: say('admin.customers.contact'),
        filled,
        isRequired: true,
        maxLength: 255,
        autocomplete: 'off',
      }),
    )}</div>`,
  );
}

/** A person can be a customer of several partners, with a different id at each. */
export function foundCustomersPage(
  found: readonly CustomerRef[],
  nameOf: ReadonlyMap<string, string>,
): Page {
  return page(
    {
      title: say('admin.customers.foundCustomers.title'),
      crumbs: [[say('admin.customers.findACustomer'), '/admin/find-customer']],
    },
    html`<section class="card">${table({
      caption: say('admin.customers.foundCustomers.caption'),
      columns: [
        {
          heading: say('common.customer'),
          cell: ({ customerId }) => to('CUSTOMER', customerId, customerId),
        },
        {
          heading: say('common.partner'),
          cell: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
        },
      ],
      rows: found,
      empty: nothing,
    })}</section>`,
  );
}
