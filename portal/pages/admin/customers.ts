import { limitIn } from '../../../domain/limit-units.ts';
import { accounts } from '../../../domain/postings.ts';
import { pointsNow } from '../../../domain/reward.ts';

import type { CustomerRef } from '../../../models/ledger/index.ts';
import type { PartnerDoc } from '../../../models/schemas/partners.ts';
import { type Customer, maxCustomerRows } from '../../../views/customers.ts';
import { badge, code, emptyState, facts, section, table } from '../../components/components.ts';
import { customerSearch } from '../../components/customer-search.ts';
import { field, formBehind, numberField } from '../../components/form.ts';
import {
  type Html,
  html,
  minuteText,
  money,
  moneyText,
  nothing,
  number,
  pointsWords,
  time,
} from '../../components/format.ts';
import { crumbsOfPartner, operatorPaths, to } from '../../components/links.ts';
import { approvalNotice, dueBadge } from '../../components/money.ts';
import { redemptionTable, underReview } from '../../components/redemptions.ts';
import { rewardBadge } from '../../components/reward-badge.ts';
import { type Page, page } from '../../components/view.ts';
import type { PageContext } from '../../context.ts';
import { emptyForm, type Filled, filledWhere } from '../../forms/submit.ts';
import { hasPermission } from '../../middleware/access.ts';
import { wordsOfKind } from '../../words/ledger-words.ts';

/** The forms of a customer's page, in place. */
interface CustomerForms {
  filled: Filled | undefined;
  /** How many cents per day one operator can redeem alone; null if there is no limit. */
  approvalAbove: number | null;
  erasureNeedsTwo: boolean;
}

export function customerPage(
  ctx: PageContext<'operator'>,
  { customerId, partner, rewards, holdings, redemptions, entries, reviews, erasures }: Customer,
  nowMs: number,
  forms: CustomerForms,
): Page {
  const { points, owedCents, heldPoints, spendable } = holdings;
  const may = (permission: 'customer.redeem' | 'customer.erase') =>
    hasPermission(ctx.state.viewer, permission);
  return page(
    {
      title: 'Customer',
      crumbs: crumbsOfPartner(partner),
      lead: html`${code(customerId, { canCopy: true })}${erasures.length > 0 ? html` ${badge('ERASED')}` : nothing}`,
    },
    erasuresSection({ customerId, erasures }),
    section(
      'LIVE balance',
      facts([
        ['Points', number(points)],
        ...underReview(points, spendable.points),
        ['Owed', money(owedCents, partner.currency)],
        ['Held at a checkout', pointsWords(heldPoints)],
      ]),
      html`<div class="changes">${
        points > 0 && may('customer.redeem')
          ? redeemForm(ctx, { customerId, partner }, forms)
          : nothing
      }${may('customer.erase') ? eraseForm(ctx, customerId, forms) : nothing}</div>`,
    ),
    rewardsSection(rewards, customerId),
    section(
      'Where the points went',
      redemptionTable(redemptions, (id) => operatorPaths.REDEMPTION + id, { withMode: true }),
    ),
    reviewsSection(reviews, nowMs),
    pointsSection(entries, customerId),
  );
}

/** The evidence for whoever asks whether a request was carried out. */
function erasuresSection({
  customerId,
  erasures,
}: Pick<Customer, 'customerId' | 'erasures'>): Html {
  if (erasures.length === 0) return nothing;
  return section(
    'Erased',
    html`<p>What was stored about this customer until then can no longer be read. A later purchase is kept anew. If they ask about their points, the email or phone that they gave still leads here.</p>`,
    table({
      caption: 'Erasures',
      columns: {
        Reference: ({ reference }) => reference,
        Erased: ({ erasedAt }) => time(erasedAt),
      },
      rows: erasures,
    }),
    html`<p class="after"><a href="/admin/audit?target=${customerId}">Who asked for it, and who approved it</a></p>`,
  );
}

function rewardsSection(rewards: Customer['rewards'], customerId: string): Html {
  return section(
    'Orders',
    table({
      caption: 'Newest orders',
      columns: {
        Order: (one) => to('REWARD', one._id, one.externalOrderId),
        Mode: ({ mode }) => badge(mode),
        State: ({ state }) => rewardBadge(state),
        'Points now': { number: pointsNow },
        Created: ({ createdAt }) => time(createdAt),
      },
      rows: rewards,
    }),
    rewards.length < maxCustomerRows
      ? nothing
      : html`<p class="after"><a href="/admin/rewards?customer=${customerId}">All orders</a></p>`,
  );
}

function reviewsSection(reviews: Customer['reviews'], nowMs: number): Html {
  return section(
    'Reviews',
    table({
      caption: 'Reviews of these rewards',
      columns: {
        Order: (one) => to('REVIEW', one._id, one.externalOrderId),
        Points: { number: (one) => one.points },
        State: (one) => dueBadge(one, nowMs),
      },
      rows: reviews,
      empty: emptyState('No reviews', 'None of these rewards was refunded after it was claimed.'),
    }),
  );
}

function pointsSection(entries: Customer['entries'], customerId: string): Html {
  const account = accounts.points.customer(customerId);
  const postingIn = ({ postings }: Customer['entries'][number]) =>
    postings.find((one) => one.account === account);
  return section(
    'LIVE points',
    table({
      caption: 'Changes of the balance',
      columns: {
        When: (one) => to('TRANSACTION', one._id, minuteText(one.at)),
        Change: ({ kind }) => wordsOfKind(kind),
        Points: { number: (one) => number(postingIn(one)?.amount ?? 0) },
        'Balance after': { number: (one) => number(postingIn(one)?.balanceAfter ?? 0) },
      },
      rows: entries,
      empty: emptyState('No changes yet', 'The first LIVE claim adds points.'),
    }),
  );
}

function redeemForm(
  ctx: PageContext<'operator'>,
  { customerId, partner }: Pick<Customer, 'customerId' | 'partner'>,
  { filled, approvalAbove }: CustomerForms,
): Html {
  const given = filledWhere('points', filled);
  return formBehind(
    ctx,
    {
      ask: 'Redeem points …',
      isOpen: given !== emptyForm,
      action: `${operatorPaths.CUSTOMER}${customerId}/redeem`,
      submit: 'Redeem',
      filled: given,
    },
    html`<p>Each redeemed point is deducted at its share of what is owed.</p>`,
    numberField({
      reads: 'count',
      name: 'points',
      label: 'Points',
      filled: given,
      isRequired: true,
      hint:
        approvalAbove !== null
          ? `A second operator has to approve more than ${moneyText(limitIn(approvalAbove, partner.currency), partner.currency)} a day per customer, per partner or by one operator.`
          : undefined,
    }),
    field({
      name: 'reference',
      id: 'redeem-reference',
      label: 'Reference',
      filled: given,
      isRequired: true,
      maxLength: 160,
      hint: 'For example, the receipt number. Each reference is booked only once.',
    }),
  );
}

function eraseForm(
  ctx: PageContext<'operator'>,
  customerId: string,
  { filled, erasureNeedsTwo }: CustomerForms,
): Html {
  const isOfRedemption = filledWhere('points', filled) !== emptyForm;
  const given = isOfRedemption ? emptyForm : filledWhere('reference', filled);
  return formBehind(
    ctx,
    {
      ask: 'Erase customer …',
      isOpen: given !== emptyForm,
      action: `${operatorPaths.CUSTOMER}${customerId}/erase`,
      submit: 'Erase customer',
      filled: given,
      isDangerous: true,
    },
    erasureNeedsTwo ? approvalNotice() : nothing,
    html`<p>Everything encrypted for them so far becomes unreadable, everywhere and permanently. Points, rewards and the ledger remain.</p>`,
    field({
      name: 'reference',
      id: 'erase-reference',
      label: 'Reference',
      filled: given,
      isRequired: true,
      maxLength: 160,
      hint: 'Of the erasure request, such as “request 42”. Do not include names.',
    }),
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
      title: 'Find a customer',
      crumbs: partner === null ? [['Search', '/admin/search']] : crumbsOfPartner(partner),
      lead: `${partner?.name ?? 'All partners'}. Enter the email address or phone number that the partner reported. The audit log records the search but not what you type.`,
    },
    customerSearch(ctx, filled),
  );
}

/** A person can be a customer of several partners, with a different id at each. */
export function foundCustomersPage(
  found: readonly CustomerRef[],
  nameOf: ReadonlyMap<string, string>,
): Page {
  return page(
    {
      title: 'Customers found',
      crumbs: [['Find a customer', '/admin/find-customer']],
    },
    html`<section class="card">${table({
      caption: 'Customers',
      columns: {
        Customer: ({ customerId }) => to('CUSTOMER', customerId, customerId),
        Partner: ({ partnerId }) => to('PARTNER', partnerId, nameOf.get(partnerId)),
      },
      rows: found,
    })}</section>`,
  );
}
