import { findPlanVersion, newestInvoices } from '../models/billing/index.ts';
import { findPartner } from '../models/identity/partners.ts';
import type { InvoiceDoc, PlanVersionDoc, SubscriptionDoc } from '../models/schemas/billing.ts';
import { given, type ListPage, type PageQuery, readPage } from '../models/store/paging.ts';
import { requireFound } from '../models/store/require-found.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import { type PartnerScope, scopeOf } from './partner-scope.ts';

/** A page of a partner's invoices, newest first. */
export const readInvoices = (
  { models }: ModelDeps,
  partnerId: PartnerScope,
  query: PageQuery,
): Promise<ListPage<InvoiceDoc>> =>
  readPage(models.invoices, [{ partnerId }], query, (invoice: InvoiceDoc) => invoice);

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

/** A page of all plan versions, for operators. */
export const readPlans = (
  { models }: ModelDeps,
  { status }: { status: PlanVersionDoc['status'] | undefined },
  query: PageQuery,
): Promise<ListPage<PlanVersionDoc>> =>
  readPage(models.planVersions, given({ status }), query, (plan: PlanVersionDoc) => plan);

export type Plans = Awaited<ReturnType<typeof readPlans>>;

/** @throws ServiceError NOT_FOUND */
export const readPlan = ({ models }: ModelDeps, planVersionId: string): Promise<PlanVersionDoc> =>
  findPlanVersion(models, planVersionId);

/** More than the plans on offer, and the invoices of two years. */
const maxRows = 50;

/** A partner's subscription and invoices, for operators. @throws ServiceError NOT_FOUND */
export async function readSubscription({ models }: ModelDeps, partnerId: string) {
  const [partner, subscription, invoices] = await Promise.all([
    findPartner(models, partnerId),
    models.subscriptions.findOne({ partnerId, status: 'ACTIVE' }),
    newestInvoices(models, partnerId, maxRows),
  ]);
  const ids = subscription ? [subscription.planVersionId, subscription.pendingPlanVersionId] : [];
  const plans = await models.planVersions.find({ _id: { $in: ids.filter((id) => id !== null) } });
  return { partner, subscription, invoices, plans };
}

export type PartnerSubscription = Awaited<ReturnType<typeof readSubscription>>;

/** An invoice of a partner with the name of its plan, for operators. @throws ServiceError NOT_FOUND */
export async function readPartnerInvoice({ models }: ModelDeps, partnerId: string, _id: string) {
  const partner = await findPartner(models, partnerId);
  const invoice = await readInvoice({ models }, scopeOf(partner), _id);
  return { partner, ...requireFound(invoice, 'invoice', _id) };
}

export type PartnerInvoice = Awaited<ReturnType<typeof readPartnerInvoice>>;

/** A partner's subscription, and the plans it could have; for operators. @throws ServiceError NOT_FOUND */
export async function readOffer({ models }: ModelDeps, partnerId: string) {
  const partner = await findPartner(models, partnerId);
  const [subscription, plans] = await Promise.all([
    models.subscriptions.findOne({ partnerId, status: 'ACTIVE' }),
    models.planVersions
      .find({ status: 'PUBLISHED', currency: partner.currency })
      .sort({ planCode: 1, version: -1 })
      .limit(maxRows),
  ]);
  const current = subscription && (await models.planVersions.findById(subscription.planVersionId));
  return { partner, subscription, plans, current };
}

export type OfferedPlans = Awaited<ReturnType<typeof readOffer>>;

/** The active subscription of a partner; null without one. @throws ServiceError NOT_FOUND */
export async function findActiveSubscription(
  { models }: ModelDeps,
  partnerId: string,
): Promise<SubscriptionDoc | null> {
  await findPartner(models, partnerId);
  return await models.subscriptions.findOne({ partnerId, status: 'ACTIVE' });
}
