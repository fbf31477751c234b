import { codeOf } from '../../http/context.ts';
import { networkOf } from '../../platform/addresses.ts';
import { newId } from '../../platform/ids.ts';
import { type ApiMiddleware, requireState } from '../context.ts';
import type { IntegrationEventBuffer } from '../integration-event-buffer.ts';

const minuteMs = 60_000;

/**
 * Every signed request leaves an integration event (docs/domain.md, Words). That of a newly accepted event
 * is written with it; those of refusals, replays and reads go through the buffer. A request whose key
 * nobody knows belongs to no partner and leaves a log line alone.
 *
 * A request that nobody proved to be the partner's, and one past the partner's limit, is counted: no
 * limit of the partner's bounds how many of them there are.
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
