import type { Router } from '@koa/router';
import { compareLines, diagnose, ourString } from '../../clients/typescript/doctor/index.ts';
import type { RefusedRequest } from '../../models/events/refused-requests.ts';
import { findCredential } from '../../models/identity/credentials.ts';
import {
  findRefusedRequest,
  knownSecrets,
  listRefusedRequests,
} from '../../models/views/refused-requests.ts';
import { auditRead } from '../../operations/audit-log.ts';
import type { ApiDeps } from '../deps.ts';
import { actorOf } from './actor.ts';
import { type OperatorContext, type OperatorState, param } from './context.ts';
import { requirePermission } from './require-permission.ts';

/** The request without its signature: a correct one that came too early would become valid later. */
function presentRefusedRequest({ requestId, code, receivedAt, request }: RefusedRequest) {
  const { method, pathname, query, timestamp, body } = request;
  return {
    requestId,
    code,
    receivedAt,
    method,
    path: pathname,
    query,
    timestamp,
    body: { lengthBytes: body.lengthBytes, sha256: body.sha256 },
  };
}

/** Why a credential's signatures were refused. The correct signature is never shown. */
export function refusedRequestRoutes(router: Router<OperatorState>, deps: ApiDeps): void {
  const { models } = deps;

  /** The credential of the path. First records in the audit log that its sealed requests are read. */
  async function readCredential(ctx: OperatorContext, requestId: string | null) {
    const credential = await findCredential(models, param(ctx, 'credentialId'));
    const { _id: targetId, partnerId } = credential;
    const details = requestId === null ? {} : { requestId };
    await auditRead(deps, actorOf(ctx), {
      action: 'refused-request.read',
      partnerId,
      targetId,
      details,
    });
    return credential;
  }

  router.get(
    '/credentials/:credentialId/refused-requests',
    requirePermission('read'),
    async (ctx) => {
      const refused = await listRefusedRequests(deps, await readCredential(ctx, null));
      ctx.body = { items: refused.map(presentRefusedRequest), nextCursor: null };
    },
  );

  router.get(
    '/credentials/:credentialId/refused-requests/:requestId',
    requirePermission('read'),
    async (ctx) => {
      const requestId = param(ctx, 'requestId');
      const credential = await readCredential(ctx, requestId);
      const refused = await findRefusedRequest(deps, credential, requestId);
      const diagnosis = diagnose(refused.request, await knownSecrets(deps, credential));
      ctx.body = {
        ...presentRefusedRequest(refused),
        findings: diagnosis?.findings ?? [],
        lines: compareLines(ourString(refused.request), diagnosis?.theirs ?? null),
      };
    },
  );
}
