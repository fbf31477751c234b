import type { EventType } from '../../domain/request.ts';
import { answeredBy, type EarlierEventsFinder } from '../../models/events/order-events.ts';
import { type ApiMiddleware, requireState } from '../context.ts';
import { respond } from '../routes/events.ts';

/**
 * Responds to a retry that this process remembers, without parsing its body: the same bytes were
 * validated the first time (docs/contract.md, Idempotency). Every other request passes.
 */
export function repeats(
  { remembered }: Pick<EarlierEventsFinder, 'remembered'>,
  type: EventType,
): ApiMiddleware {
  return async (ctx, next) => {
    const { credentialId } = requireState(ctx, 'principal');
    const idempotencyKeyHash = requireState(ctx, 'idempotencyKeyHash');
    const earlier = remembered({ credentialId, type, idempotencyKeyHash });
    if (earlier?.payloadHash !== requireState(ctx, 'payloadHash')) return await next();
    ctx.state.externalOrderId = earlier.externalOrderId;
    respond(ctx, answeredBy(earlier));
  };
}
