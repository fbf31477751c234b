import type { Router } from '@koa/router';
import { page, pageSchema } from '../../http/paging.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { CredentialDoc } from '../../models/schemas/integrations.ts';
import { createCredential } from '../../operations/credentials/create.ts';
import type { RevealedSecret } from '../../operations/credentials/new-secret.ts';
import { revokeCredential } from '../../operations/credentials/revoke.ts';
import { revokeSecret } from '../../operations/credentials/revoke-secret.ts';
import { rotateCredential } from '../../operations/credentials/rotate.ts';
import type { ApiDeps } from '../deps.ts';
import { type OperatorState, param, queryOf } from './context.ts';
import type { OperationRoutes } from './operation-routes.ts';
import { requirePermission } from './require-permission.ts';

/** A credential without its secrets. */
function presentCredential({ _id, secrets, ...credential }: CredentialDoc) {
  const { partnerId, integrationId, mode, apiKey, scopes, createdAt, revokedAt } = credential;
  return {
    credentialId: _id,
    partnerId,
    integrationId,
    mode,
    apiKey,
    scopes,
    secrets: secrets.map(({ secretId, createdAt, lastUsedAt, revokedAt }) => ({
      secretId,
      createdAt,
      lastUsedAt,
      revokedAt,
    })),
    createdAt,
    revokedAt,
  };
}

/** The only response that contains the secret in clear text. */
function presentSecret({ credential, secretId, secret }: RevealedSecret) {
  return { credential: presentCredential(credential), secretId, secret };
}

export function credentialRoutes(
  router: Router<OperatorState>,
  { models }: ApiDeps,
  operations: OperationRoutes,
): void {
  const revealed = (made: RevealedSecret) => ({ status: 201, body: presentSecret(made) });
  const ended = (key: CredentialDoc) => ({ status: 200, body: presentCredential(key) });

  operations.route('post', '/partners/:partnerId/credentials', createCredential, {
    body: true,
    secret: true,
    respond: revealed,
  });

  router.get('/partners/:partnerId/credentials', requirePermission('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(models.credentials, [{ partnerId }], query, presentCredential);
  });

  operations.route('post', '/credentials/:credentialId/secrets', rotateCredential, {
    secret: true,
    respond: revealed,
  });
  operations.route('delete', '/credentials/:credentialId/secrets/:secretId', revokeSecret, {
    respond: ended,
  });
  operations.route('delete', '/credentials/:credentialId', revokeCredential, { respond: ended });
}
