import type { Router } from '@koa/router';
import { page, pageSchema } from '../../http/paging.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { createPartner } from '../../operations/partners/create.ts';
import { updatePartner } from '../../operations/partners/update.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, param, queryOf } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

/** Defaults for partners that were stored before these fields existed. */
const absent = { billingAddress: null, taxId: null, verifiedContactEmail: null, branding: null };

/** A partner without internal codes and marks. */
function presentPartner({ _id, goLive, isCurrencyFixed: _f, ...stored }: PartnerDoc) {
  const {
    contactEmailCode: _e,
    supportEmailCode: _s,
    verifiedSupportEmail: _v,
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
    ctx.body = await page(models.partners, [], queryOf(ctx, pageSchema), presentPartner);
  });

  router.get('/partners/:partnerId', requirePermission('read'), async (ctx) => {
    ctx.body = presentPartner(await findPartner(models, param(ctx, 'partnerId')));
  });

  operations.route('patch', '/partners/:partnerId', updatePartner, {
    body: true,
    respond: (partner) => ({ status: 200, body: presentPartner(partner) }),
  });
}
