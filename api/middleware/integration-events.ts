import { codeOf } from '../../http/context.ts';
import { networkOf } from '../../platform/addresses.ts';
import { newId } from '../../platform/ids.ts';
import { type ApiMiddleware, requireState } from '../context.ts';
import type { IntegrationEventBuffer } from '../integration-event-buffer.ts';

const minuteMs = 60_000;

/**
 * Records an integration event for every signed request (docs/domain.md, Words). An accepted order event
 * is inserted together with its integration event; refusals, replays and reads go through the buffer. A
 * request with an unknown key belongs to no partner and is only logged.
 *
 * Unauthenticated requests, and requests above the partner's rate limit, are counted by the minute
 * instead of stored one by one, because no rate limit bounds their number.
 */
export function integrationEvents(
  buffer: IntegrationEventBuffer,
  now: () => number,
): ApiMiddleware {
  return async (ctx, next) => {
    const receivedAt = new Date(now());
    await next();
    const { keyHolder, principal, recorded, requestId, route, address } = ctx.state;
    const { externalOrderId, eventId } = ctx.state;
    if (!keyHolder || recorded) return;
    const code = codeOf(ctx);
    const isCounted = !principal || code === 'RATE_LIMITED';
    buffer.add({
      _id: newId('integrationEvent', receivedAt.getTime()),
      partnerId: keyHolder.partnerId,
      integrationId: keyHolder.integrationId,
      credentialId: keyHolder.credentialId,
      mode: keyHolder.mode,
      type: requireState(ctx, 'requestType'),
      requestId,
      method: ctx.method,
      path: route ?? '',
      status: ctx.status,
      code,
      externalOrderId: externalOrderId ?? null,
      eventId: eventId ?? null,
      receivedAt,
      count: 1,
      minute: isCounted ? new Date(Math.floor(receivedAt.getTime() / minuteMs) * minuteMs) : null,
      address,
      network: networkOf(address),
    });
  };
}
