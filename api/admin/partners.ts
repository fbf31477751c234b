import type { Router } from '@koa/router';
import Joi from 'joi';
import { goLiveChecklist } from '../../domain/go-live.ts';
import { defaultRedemptionSettings } from '../../domain/redemption.ts';
import { param } from '../../http/context.ts';
import { given, type PageQuery, pageParameters, pageSchema, readPage } from '../../http/query.ts';
import { findSubscription } from '../../models/billing/index.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { findActiveRules } from '../../models/rewards/rules.ts';
import type { InvoiceDoc, PlanVersionDoc, SubscriptionDoc } from '../../models/schemas/billing.ts';
import type { IntegrationDoc } from '../../models/schemas/integrations.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { InvitationDoc } from '../../models/schemas/people.ts';
import type { EarningRuleDoc } from '../../models/schemas/rules.ts';
import { activateRule, createRule, deactivateRule } from '../../operations/earning-rules.ts';
import { approveGoLive, requestGoLive, returnGoLive } from '../../operations/go-live.ts';
import { createIntegration, updateIntegration } from '../../operations/integrations.ts';
import { recordPayment, reversePayment, voidInvoice } from '../../operations/invoices.ts';
import { createPartner, invitePartner, updatePartner } from '../../operations/partners.ts';
import {
  archivePlanVersion,
  createPlanVersion,
  publishPlanVersion,
} from '../../operations/plans.ts';
import { cancelSubscription, changePlan, subscribe } from '../../operations/subscriptions.ts';
import { readGoLiveEvidence } from '../../views/go-live.ts';
import type { ApiDeps } from '../deps.ts';
import { presentInvoice } from '../routes/account.ts';
import {
  checkQuery,
  type OperationRoutes,
  type OperatorState,
  requirePermission,
} from './context.ts';

/** Defaults for partners that were stored before these fields existed. */
const absent = {
  billingAddress: null,
  taxId: null,
  verifiedContactEmail: null,
  branding: null,
  timeZone: null,
  redemptions: defaultRedemptionSettings,
};

/** A partner without internal codes and marks. */
function presentPartner({ _id, goLive, isCurrencyFixed: _f, ...stored }: PartnerDoc) {
  const {
    contactEmailCode: _e,
    supportEmailCode: _s,
    verifiedSupportEmail: _v,
    limitedWrites: _l,
    ...partner
  } = stored;
  return { partnerId: _id, ...absent, ...partner, goLiveState: goLive.state };
}

export function partnerRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  operations.route('post', '/partners', createPartner, {
    body: true,
    respond: (partner) => ({ status: 201, body: presentPartner(partner) }),
  });

  router.get('/partners', requirePermission('read'), async (ctx) => {
    ctx.body = await readPage(models.partners, [], checkQuery(ctx, pageSchema), presentPartner);
  });

  router.get('/partners/:partnerId', requirePermission('read'), async (ctx) => {
    ctx.body = presentPartner(await findPartner(models, param(ctx, 'partnerId')));
  });

  operations.route('patch', '/partners/:partnerId', updatePartner, {
    body: true,
    respond: (partner) => ({ status: 200, body: presentPartner(partner) }),
  });
}

function presentIntegration({ _id, partnerId, name, delivery, createdAt }: IntegrationDoc) {
  return { integrationId: _id, partnerId, name, delivery, createdAt };
}

export function integrationRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  operations.route('post', '/partners/:partnerId/integrations', createIntegration, {
    body: true,
    respond: (integration) => ({ status: 201, body: presentIntegration(integration) }),
  });

  operations.route('patch', '/partners/:partnerId/integrations/:integrationId', updateIntegration, {
    body: true,
    respond: (integration) => ({ status: 200, body: presentIntegration(integration) }),
  });

  router.get('/partners/:partnerId/integrations', requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = checkQuery(ctx, pageSchema);
    ctx.body = await readPage(models.integrations, [{ partnerId }], query, presentIntegration);
  });
}

/** An invitation without its token, which only the email contains. */
function presentInvitation({ _id, partnerId, email, role, expiresAt }: InvitationDoc) {
  return { invitationId: _id, partnerId, email, role, expiresAt };
}

/** Invites a partner's first owner, who invites the other users. */
export function invitationRoutes(operations: OperationRoutes): void {
  operations.route('post', '/partners/:partnerId/invitations', invitePartner, {
    body: true,
    respond: (invitation) => ({ status: 201, body: presentInvitation(invitation) }),
  });
}

/** Going live: the checklist, the partner's request, and the operator's approval or return of it. */
export function goLiveRoutes(
  router: Router<OperatorState>,
  deps: ApiDeps,
  operations: OperationRoutes,
): void {
  const path = '/partners/:partnerId/go-live';
  const respond = async (partner: PartnerDoc) => ({
    status: 200,
    body: await presentGoLive(partner),
  });

  router.get(path, requirePermission('read'), async (ctx) => {
    ctx.body = await presentGoLive(await findPartner(deps.models, param(ctx, 'partnerId')));
  });

  operations.route('post', `${path}/request`, requestGoLive, { respond });
  operations.route('post', `${path}/approval`, approveGoLive, { respond });
  operations.route('post', `${path}/return`, returnGoLive, { body: true, respond });

  async function presentGoLive(partner: PartnerDoc) {
    const { items, isReady } = goLiveChecklist(await readGoLiveEvidence(deps, partner));
    return { partnerId: partner._id, ...partner.goLive, ready: isReady, items: items.map(present) };
  }
}

function present({ isMet, ...item }: ReturnType<typeof goLiveChecklist>['items'][number]) {
  return { ...item, met: isMet };
}

const presentSubscription = ({ _id, ...doc }: SubscriptionDoc) => ({
  subscriptionId: _id,
  ...doc,
});

export function subscriptionRoutes(
  router: Router<OperatorState>,
  { models, now }: ApiDeps,
  operations: OperationRoutes,
): void {
  const path = '/partners/:partnerId/subscription';
  const changed = (subscription: SubscriptionDoc) => ({
    status: 200,
    body: presentSubscription(subscription),
  });

  router.get(path, requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    ctx.body = presentSubscription(await findSubscription(models, partnerId));
  });

  operations.route('post', path, subscribe, {
    body: true,
    respond: (subscription) => ({ ...changed(subscription), status: 201 }),
  });
  operations.route('post', `${path}/change`, changePlan, { body: true, respond: changed });
  operations.route('post', `${path}/cancel`, cancelSubscription, { respond: changed });

  router.get('/partners/:partnerId/invoices', requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = checkQuery(ctx, pageSchema);
    ctx.body = await readPage(models.invoices, [{ partnerId }], query, present);
  });

  const invoice = '/partners/:partnerId/invoices/:invoiceId';
  const present = (one: InvoiceDoc) => presentInvoice(one, new Date(now()));
  const respond = (one: InvoiceDoc) => ({ status: 200, body: present(one) });
  operations.route('post', `${invoice}/payments`, recordPayment, { body: true, respond });
  operations.route('post', `${invoice}/reversals`, reversePayment, { body: true, respond });
  operations.route('post', `${invoice}/void`, voidInvoice, { body: true, respond });
}

const querySchema = Joi.object<PageQuery & { status?: PlanVersionDoc['status'] }>({
  status: Joi.string().valid('DRAFT', 'PUBLISHED', 'ARCHIVED'),
  ...pageParameters,
});

function presentPlan({ _id, ...plan }: PlanVersionDoc) {
  return { planVersionId: _id, ...plan };
}

export function planRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  router.get('/plans', requirePermission('read'), async (ctx) => {
    const { status, ...paging } = checkQuery(ctx, querySchema);
    ctx.body = await readPage(models.planVersions, given({ status }), paging, presentPlan);
  });

  operations.route('post', '/plans', createPlanVersion, {
    body: true,
    respond: (plan) => ({ status: 201, body: presentPlan(plan) }),
  });
  operations.route('post', '/plans/:planVersionId/publish', publishPlanVersion, {
    respond: (plan) => ({ status: 200, body: presentPlan(plan) }),
  });
  operations.route('post', '/plans/:planVersionId/archive', archivePlanVersion, {
    respond: (plan) => ({ status: 200, body: presentPlan(plan) }),
  });
}

function presentRule({ _id, createdAt, ...rule }: EarningRuleDoc, active: boolean) {
  const { budget = null, holdFor = null } = rule;
  return { ruleId: _id, active, ...rule, budget, holdFor, createdAt };
}

export function earningRuleRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  operations.route('post', '/partners/:partnerId/earning-rules', createRule, {
    body: true,
    respond: (rule) => ({ status: 201, body: presentRule(rule, false) }),
  });

  router.get('/partners/:partnerId/earning-rules', requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = checkQuery(ctx, pageSchema);
    const active = await Promise.all([
      findActiveRules(models, partnerId, 'TEST'),
      findActiveRules(models, partnerId, 'LIVE'),
    ]);
    const activeIds = new Set(active.flat().map(({ ruleId }) => ruleId));
    ctx.body = await readPage(models.earningRules, [{ partnerId }], query, (rule) =>
      presentRule(rule, activeIds.has(rule._id)),
    );
  });

  operations.route('post', '/earning-rules/:ruleId/activate', activateRule, {
    respond: ({ rule }) => ({ status: 200, body: presentRule(rule, true) }),
  });
  operations.route('post', '/earning-rules/:ruleId/deactivate', deactivateRule, {
    respond: ({ rule }) => ({ status: 200, body: presentRule(rule, false) }),
  });
}
