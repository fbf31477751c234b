import { newId } from '../../platform/ids.ts';
import type { ApiMiddleware } from '../context.ts';
import type { Journal } from '../journal.ts';

/**
 * Every signed request leaves an integration event (domain, Words). That of a newly accepted event is
 * written with it; those of refusals, replays and reads go through the journal. A request whose key
 * nobody knows belongs to no partner and leaves a log line alone.
 */
export function integrationEvents(journal: Journal, now: () => number): ApiMiddleware {
  return async (ctx, next) => {
    const receivedAt = new Date(now());
    await next();
    const { claimed, recorded, requestId, route, code, externalOrderId, eventId } = ctx.state;
    if (!claimed || recorded) return;
    journal.add({
      _id: newId('integrationEvent'),
      partnerId: claimed.partnerId,
      integrationId: claimed.integrationId,
      credentialId: claimed.credentialId,
      mode: claimed.mode,
      requestId,
      method: ctx.method,
      path: route ?? '',
      status: ctx.status,
      code: code ?? 'ACCEPTED',
      externalOrderId: externalOrderId ?? null,
      eventId: eventId ?? null,
      receivedAt,
    });
  };
}
