import type { EventType } from '../../domain/request.ts';
import { answeredBy, type EarlierEventsFinder } from '../../models/events/order-events.ts';
import { type ApiMiddleware, requireState } from '../context.ts';
import { respond } from '../routes/events.ts';

/**
 * Answers a repeat that this process remembers before its body is parsed: the same bytes were checked
 * when they came first (docs/contract.md, Idempotency). Whatever else comes under the key goes on.
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
