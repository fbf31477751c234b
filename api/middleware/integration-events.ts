import { newId } from '../../platform/ids.ts';
import { type ApiMiddleware, codeOf } from '../context.ts';
import type { IntegrationEventBuffer } from '../integration-event-buffer.ts';

/**
 * Every signed request leaves an integration event (domain, Words). That of a newly accepted event is
 * written with it; those of refusals, replays and reads go through the buffer. A request whose key
 * nobody knows belongs to no partner and leaves a log line alone.
 */
export function integrationEvents(
  buffer: IntegrationEventBuffer,
  now: () => number,
): ApiMiddleware {
  return async (ctx, next) => {
    const receivedAt = new Date(now());
    await next();
    const { keyHolder, recorded, requestId, route, externalOrderId, eventId } = ctx.state;
    if (!keyHolder || recorded) return;
    buffer.add({
      _id: newId('integrationEvent'),
      partnerId: keyHolder.partnerId,
      integrationId: keyHolder.integrationId,
      credentialId: keyHolder.credentialId,
      mode: keyHolder.mode,
      requestId,
      method: ctx.method,
      path: route ?? '',
      status: ctx.status,
      code: codeOf(ctx),
      externalOrderId: externalOrderId ?? null,
      eventId: eventId ?? null,
      receivedAt,
    });
  };
}
