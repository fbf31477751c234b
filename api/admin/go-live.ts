import type { Router } from '@koa/router';
import Joi from 'joi';
import { goLiveChecklist } from '../../domain/go-live.ts';
import { approveGoLive } from '../../models/commands/approve-go-live.ts';
import { findPartner } from '../../models/commands/find.ts';
import { requestGoLive } from '../../models/commands/request-go-live.ts';
import { returnGoLive } from '../../models/commands/return-go-live.ts';
import { gatherGoLiveFacts } from '../../models/go-live-facts.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param } from './context.ts';
import { recordDeed } from './deeds.ts';
import { shortText } from './fields.ts';

const returnSchema = Joi.object<{ reason: string }>({
  reason: shortText(500).required(),
});

/** How a partner becomes live: what is still missing, its request, and the reviewer's answer. */
export function goLiveRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  router.get('/partners/:partnerId/go-live', async (ctx) => {
    ctx.body = await presentGoLive(await findPartner(deps.models, param(ctx, 'partnerId')));
  });

  router.post('/partners/:partnerId/go-live/request', async (ctx) => {
    const partnerId = param(ctx, 'partnerId');
    const partner = await requestGoLive(deps, partnerId);
    await recordDeed(deps, ctx, {
      action: 'partner.request-go-live',
      targetId: partnerId,
      partnerId,
    });
    ctx.body = await presentGoLive(partner);
  });

  router.post('/partners/:partnerId/go-live/approval', async (ctx) => {
    const partnerId = param(ctx, 'partnerId');
    const { adminId: reviewerId } = ctx.state.admin;
    const partner = await approveGoLive(deps, partnerId, { reviewerId });
    await recordDeed(deps, ctx, {
      action: 'partner.approve-go-live',
      targetId: partnerId,
      partnerId,
    });
    ctx.body = await presentGoLive(partner);
  });

  router.post('/partners/:partnerId/go-live/return', jsonBody, async (ctx) => {
    const partnerId = param(ctx, 'partnerId');
    const { reason } = bodyOf(ctx, returnSchema);
    const { adminId: reviewerId } = ctx.state.admin;
    const partner = await returnGoLive(deps, partnerId, { reviewerId, reason });
    await recordDeed(deps, ctx, {
      action: 'partner.return-go-live',
      targetId: partnerId,
      partnerId,
      details: { reason },
    });
    ctx.body = await presentGoLive(partner);
  });

  async function presentGoLive(partner: PartnerDoc) {
    const { lines, isReady } = goLiveChecklist(await gatherGoLiveFacts(deps, partner));
    return { partnerId: partner._id, ...partner.goLive, ready: isReady, lines: lines.map(present) };
  }
}

function present({ isMet, ...line }: ReturnType<typeof goLiveChecklist>['lines'][number]) {
  return { ...line, met: isMet };
}
