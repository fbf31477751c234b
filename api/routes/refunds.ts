import type { RefundRequest } from '../../domain/refund.ts';
import type { EventsDeps } from '../../events/deps.ts';
import { reportRefund } from '../../events/refund.ts';
import type { BodyHandler } from '../context.ts';
import { originOf, respond } from './events.ts';

/** POST /api/v1/partner/refunds: creates a refund event, or replays its stored response. */
export function postRefund(deps: EventsDeps & { now: () => number }): BodyHandler<RefundRequest> {
  return async (ctx, request) => {
    ctx.state.externalOrderId = request.externalOrderId;
    respond(ctx, await reportRefund(deps, originOf(ctx, deps.now()), request));
  };
}
