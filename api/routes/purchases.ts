import type { PurchaseRequest } from '../../domain/purchase.ts';
import type { EventsDeps } from '../../events/deps.ts';
import { reportPurchase } from '../../events/purchase.ts';
import { type BodyHandler, requireState } from '../context.ts';
import { originOf, respond } from './events.ts';

/** POST /api/v1/partner/purchases: creates a purchase event, or replays its stored response. */
export function postPurchase(
  deps: EventsDeps & { now: () => number },
): BodyHandler<PurchaseRequest> {
  return async (ctx, request) => {
    ctx.state.externalOrderId = request.externalOrderId;
    const terms = requireState(ctx, 'principal');
    respond(ctx, await reportPurchase(deps, originOf(ctx, deps.now()), request, terms));
  };
}
