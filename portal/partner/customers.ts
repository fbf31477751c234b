import { modes } from '../../domain/mode.ts';
import { param } from '../../http/context.ts';
import {
  lookUpCustomers,
  maxCustomerRewards,
  type PartnerCustomer,
  readPartnerCustomer,
} from '../../views/customers.ts';
import { badge, code, definitions, section, table } from '../components/components.ts';
import { customerSearch } from '../components/customer-search.ts';
import { html, money, nothing, number, time } from '../components/format.ts';
import { idLink } from '../components/links.ts';
import { endingRows, tableOfRedemptions, underReview } from '../components/redemptions.ts';
import { type Page, page, render } from '../components/view.ts';
import { type PageContext, redirect } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import { contactOfText, contactSchema } from '../forms/fields.ts';
import { emptyForm, FieldError, type Filled } from '../forms/submit.ts';
import { orNotFound } from '../middleware/form.ts';
import { ownScope } from '../routing/own-scope.ts';
import type { RoutesOf } from '../routing/route-table.ts';
import { customerLink, rewardColumns } from './orders.ts';

/** The customers behind the orders. */
export function customerPages(routes: RoutesOf<'partner'>): void {
  routes.page('/customers', showFind);
  routes.action('/customers', { schema: contactSchema, act: find, retry: showFind });
  routes.page('/customers/:customerId', showCustomer);
}

async function showCustomer(ctx: PageContext<'partner'>, deps: PageDeps): Promise<void> {
  const customer = await readPartnerCustomer(deps, ownScope(ctx), param(ctx, 'customerId'));
  render(ctx, partnerCustomerPage(orNotFound(customer), ctx.state.viewer.partner.currency));
}

function showFind(ctx: PageContext<'partner'>, _deps: PageDeps, filled: Filled = emptyForm): void {
  render(ctx, findPartnerCustomerPage(ctx, filled));
}

async function find(
  ctx: PageContext<'partner'>,
  deps: PageDeps,
  { contact }: { contact: string },
): Promise<void> {
  const { partner } = ctx.state.viewer;
  const { customerHashKey } = deps.config;
  const looked = await lookUpCustomers(deps, customerHashKey, partner, contactOfText(contact));
  const [first, ...others] = looked.found;
  if (first === undefined)
    throw new FieldError('contact', 'None of your customers has this email or phone.');
  if (others.length === 0) redirect(ctx, `/customers/${first}`);
  else render(ctx, sharingCustomersPage(looked.found));
}

const ofCustomers = () => [['Customers', '/customers']] as const;

function findPartnerCustomerPage(ctx: PageContext<'partner'>, filled: Filled): Page {
  return page(
    {
      title: 'Customers',
      lead: 'Find a customer by any email address or phone number that your shop reported.',
    },
    customerSearch(ctx, filled),
  );
}

/** A customer's balance and rewards. */
function partnerCustomerPage(
  {
    customerId,
    email,
    phone,
    points,
    spendablePoints,
    owedCents,
    ending,
    endedPoints,
    rewards,
    redemptions,
  }: PartnerCustomer,
  currency: string,
): Page {
  const [newest] = rewards;
  const isLive = rewards.some(({ mode }) => mode === 'LIVE');
  const contact = [email, phone].filter(Boolean).join(', ');
  return page(
    {
      title: contact === '' ? 'Erased customer' : contact,
      crumbs: ofCustomers(),
      ...(contact === '' && {
        lead: 'Their personal data was erased, so nothing can be sent to them. Whoever gives the same email or phone again is this customer, with these points.',
      }),
    },
    section(
      'At a glance',
      definitions([
        ...(isLive
          ? ([
              ['LIVE points', number(points)],
              ...underReview(points, spendablePoints),
              ['Worth', money(owedCents, currency)],
              ...endingRows(ending, endedPoints),
            ] as const)
          : []),
        ['Last purchase', time(newest?.createdAt)],
        ['Customer ID', code(customerId, { canCopy: true })],
      ]),
    ),
    section(
      'Orders',
      table({
        caption: 'Newest orders',
        columns: {
          Order: (one) => idLink(one._id, one.externalOrderId),
          Mode: ({ mode }) => badge(mode),
          ...rewardColumns(),
        },
        rows: rewards,
      }),
      rewards.length < maxCustomerRewards
        ? nothing
        : html`<p class="after">${modes.map((mode) => html`<a href="/orders?mode=${mode}&amp;customer=${customerId}">All ${mode} orders</a> `)}</p>`,
    ),
    section(
      'Where the points went',
      tableOfRedemptions(redemptions, (id) => `/redemptions/${id}`, { withMode: true }),
    ),
    contact === '' || newest === undefined
      ? nothing
      : section(
          'If they ask you',
          html`<p><strong>They lost the message with their points.</strong> <a href="/orders/${newest._id}">Their newest order</a> sends it again, to the contact that they gave.</p>
<p><strong>They want their data erased.</strong> Send us their customer ID: our operators erase their email, their phone and what you reported with their orders, everywhere and for good. Points, amounts and order numbers remain. Erase what your shop keeps, too.</p>`,
        ),
  );
}

/** Several customers with one phone, such as a family. */
const sharingCustomersPage = (customerIds: readonly string[]): Page =>
  page(
    {
      title: 'Customers with this phone',
      lead: 'Each gave another email with it.',
      crumbs: ofCustomers(),
    },
    html`<section class="card">${table({
      caption: 'Customers',
      columns: { Customer: (customerId) => customerLink(customerId) },
      rows: customerIds,
    })}</section>`,
  );
