import type { Router } from '@koa/router';
import { findCredential } from '../../models/commands/find.ts';
import {
  findRefusedRequest,
  knownSecrets,
  listRefusedRequests,
  type RefusedRequest,
} from '../../models/refused-requests.ts';
import { compareLines, diagnose, ourString } from '../../partner-sdk/doctor/index.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminContext, type AdminState, param } from './context.ts';
import { noteRead } from './deeds.ts';
import { permit } from './permit.ts';

/** What arrived, without the signature: a right one, too early, would be good later. */
function presentRefusedRequest({ requestId, code, receivedAt, request }: RefusedRequest) {
  const { method, pathname, query, timestamp, body } = request;
  return {
    ...{ requestId, code, receivedAt },
    ...{ method, path: pathname, query, timestamp },
    body: { lengthBytes: body.lengthBytes, sha256: body.sha256 },
  };
}

/** Why signatures of a credential were refused; never what a right one would have been. */
export function refusedRequestRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  const { models } = deps;

  /** The credential of the path, once it is noted that somebody reads what was sealed. */
  async function readCredential(ctx: AdminContext, requestId: string | null) {
    const credential = await findCredential(models, param(ctx, 'credentialId'));
    const { _id: targetId, partnerId } = credential;
    const details = requestId === null ? {} : { requestId };
    await noteRead(deps, ctx, { action: 'refused-request.read', partnerId, targetId, details });
    return credential;
  }

  router.get('/credentials/:credentialId/refused-requests', permit('read'), async (ctx) => {
    const refused = await listRefusedRequests(deps, await readCredential(ctx, null));
    ctx.body = { items: refused.map(presentRefusedRequest), nextCursor: null };
  });

  router.get(
    '/credentials/:credentialId/refused-requests/:requestId',
    permit('read'),
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
