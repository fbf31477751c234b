import Joi from 'joi';
import { limitIn } from '../../domain/limit-units.ts';
import { accounts } from '../../domain/postings.ts';
import { pointsNow } from '../../domain/reward.ts';
import { param } from '../../http/context.ts';
import type { CustomerRef } from '../../models/ledger/index.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { auditRead } from '../../operations/audit-log.ts';
import { eraseCustomer, type OperatorRedemption, redeem } from '../../operations/customers.ts';
import { needsApproval } from '../../operations/needs-approval.ts';
import {
  type Customer,
  findCustomersByContact,
  lookUpCustomers,
  maxCustomerRows,
  readCustomer,
  readRewardsOfCustomer,
} from '../../views/customers.ts';
import { readPartnerNames } from '../../views/names.ts';
import { readPartner } from '../../views/partners.ts';
import { badge, code, definitions, emptyState, section, table } from '../components/components.ts';
import { customerSearch } from '../components/customer-search.ts';
import { field, formBehind, numberField } from '../components/form.ts';
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
} from '../components/format.ts';
import { crumbsOfPartner, operatorPaths, to } from '../components/links.ts';
import { approvalNotice, dueBadge } from '../components/money.ts';
import { endingRows, tableOfRedemptions, underReview } from '../components/redemptions.ts';
import { rewardBadge } from '../components/reward-badge.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { contactOfText, contactSchema, countField, referenceField } from '../forms/fields.ts';
import { emptyForm, FieldError, type Filled, filledWhere } from '../forms/submit.ts';
import { hasPermission } from '../middleware/access.ts';
import { orNotFound } from '../middleware/form.ts';
import { actorOf } from '../operate.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { alreadyBooked, wordsOfKind } from '../words/ledger-words.ts';

const redeemSchema = Joi.object<Omit<OperatorRedemption, 'customerId'>>({
  points: countField(1).required().messages({ 'any.required': 'Enter the number of points.' }),
  reference: referenceField.required(),
});

const path = '/admin/customers/:customerId';

/** A customer's balance and rewards, without personal data. */
export function operatorCustomerPages(routes: RoutesOf<'operator'>): void {
  routes.page(path, showCustomer);
  routes.operation(`${path}/redeem`, redeem, {
    on: showCustomer,
    form: redeemSchema,
    to: path,
    said: ({ entry, isNew }, { points }) =>
      isNew ? `${pointsWords(points)} redeemed.` : alreadyBooked(entry),
  });
  routes.operation(`${path}/erase`, eraseCustomer, {
    on: showCustomer,
    form: Joi.object({ reference: referenceField.required() }),
    to: path,
    said: 'Customer erased.',
  });
  routes.page('/admin/partners/:partnerId/find-customer', showFind);
  // A POST, so that no URL contains a contact.
  routes.action('/admin/partners/:partnerId/find-customer', {
    schema: contactSchema,
    act: find,
    retry: showFind,
  });
  routes.page('/admin/find-customer', showFindOfAll);
  routes.action('/admin/find-customer', {
    schema: contactSchema,
    act: findOfAll,
    retry: showFindOfAll,
  });
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

/** The forms of a customer's page, in place. */
interface CustomerForms {
  filled: Filled | undefined;
  /** How many cents per day one operator can redeem alone; null if there is no limit. */
  approvalAbove: number | null;
  erasureNeedsTwo: boolean;
}

function customerPage(
  ctx: PageContext<'operator'>,
  { customerId, partner, rewards, holdings, redemptions, entries, reviews, erasures }: Customer,
  nowMs: number,
  forms: CustomerForms,
): Page {
  const { points, owedCents, heldPoints, spendable, ending, endedPoints } = holdings;
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
      definitions([
        ['Points', number(points)],
        ...underReview(points, spendable.points),
        ['Owed', money(owedCents, partner.currency)],
        ['Held at a checkout', pointsWords(heldPoints)],
        ...endingRows(ending, endedPoints),
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
      tableOfRedemptions(redemptions, (id) => operatorPaths.REDEMPTION + id, { withMode: true }),
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
function findCustomerPage(
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
function foundCustomersPage(
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
