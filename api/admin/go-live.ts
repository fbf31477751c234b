import type { Router } from '@koa/router';
import { goLiveChecklist } from '../../domain/go-live.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import { readGoLiveFacts } from '../../models/views/go-live-facts.ts';
import { approveGoLive } from '../../operations/go-live/approve.ts';
import { requestGoLive } from '../../operations/go-live/request.ts';
import { returnGoLive } from '../../operations/go-live/return.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, param } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

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
    const { items, isReady } = goLiveChecklist(await readGoLiveFacts(deps, partner));
    return { partnerId: partner._id, ...partner.goLive, ready: isReady, items: items.map(present) };
  }
}

function present({ isMet, ...item }: ReturnType<typeof goLiveChecklist>['items'][number]) {
  return { ...item, met: isMet };
}
