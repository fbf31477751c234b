import type { Answer } from '../../domain/answers.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Origin } from '../../domain/request.ts';
import { type ApiContext, requireState } from '../context.ts';

/** What a new event is answered with, and what its replays repeat (docs/contract.md, Responses). */
const createdStatus = 201;

/** Who sent this event, and how it is told from its repeats. */
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
 * Gives the stored answer, byte for byte; to any request but the one that recorded the event it is a
 * replay (docs/contract.md, Idempotency).
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
