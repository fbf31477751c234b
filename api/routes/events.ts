import type { Answer } from '../../domain/answers.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Origin } from '../../domain/request.ts';
import { type ApiContext, requireState } from '../context.ts';

/** The status of the response to a new event and to its replays (docs/contract.md, Responses). */
const createdStatus = 201;

/** The sender of an event, and what identifies its retries. */
export function originOf(ctx: ApiContext, nowMs: number): Origin {
  const { partnerId, integrationId, credentialId, mode } = requireState(ctx, 'principal');
  return {
    partnerId,
    integrationId,
    credentialId,
    mode,
    requestId: ctx.state.requestId,
    idempotencyKeyHash: requireState(ctx, 'idempotencyKeyHash'),
    payloadHash: requireState(ctx, 'payloadHash'),
    receivedAt: new Date(nowMs).toISOString(),
    request: { method: ctx.method, path: requireState(ctx, 'route'), status: createdStatus },
    address: ctx.state.address,
  };
}

/**
 * Sends the stored response, byte for byte. For any request but the one that recorded the event, it is
 * a replay (docs/contract.md, Idempotency).
 * @throws ServiceError for a refusal
 */
export function respond(ctx: ApiContext, answer: Answer): void {
  if (answer.kind === 'REFUSED') throw new ServiceError(answer.code, answer.message);
  const replayed = answer.requestId !== ctx.state.requestId;
  if (replayed) ctx.set('Idempotent-Replayed', 'true');
  ctx.state.code = replayed ? 'REPLAYED' : 'ACCEPTED';
  ctx.state.recorded = !replayed;
  ctx.state.eventId = answer.eventId;
  ctx.status = createdStatus;
  ctx.type = 'application/json';
  ctx.body = answer.body;
}
