import { billingStatusAt } from '../billing/index.ts';
import { type PageQuery, page } from '../store/paging.ts';
import { readFunding } from './dashboard.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** A partner's subscription and funding now, and a page of its invoices. */
export async function readBilling(deps: ViewDeps, partnerId: PartnerScope, query: PageQuery) {
  const { models, now } = deps;
  const [account, funding, invoices] = await Promise.all([
    billingStatusAt(models, partnerId, new Date(now()).toISOString()),
    readFunding(deps, partnerId),
    page(models.invoices, [{ partnerId }], query, (invoice) => invoice),
  ]);
  return { account, funding, invoices };
}

export type Billing = Awaited<ReturnType<typeof readBilling>>;

/** An invoice with the name of its plan; null if the partner has no such invoice. */
export async function readInvoice(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  _id: string,
) {
  const invoice = await models.invoices.findOne({ partnerId, _id });
  if (!invoice) return null;
  const plan = await models.planVersions.findById(invoice.planVersionId, { name: 1 });
  return { invoice, planName: plan?.name ?? null };
}
