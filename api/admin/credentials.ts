import type { Router } from '@koa/router';
import Joi from 'joi';
import { modes } from '../../domain/events.ts';
import { page, pageSchema } from '../../http/paging.ts';
import type { CredentialFields } from '../../models/commands/create-credential.ts';
import { findCredential, findPartner } from '../../models/commands/find.ts';
import type { RevealedSecret } from '../../models/commands/new-secret.ts';
import { revokeCredential } from '../../models/commands/revoke-credential.ts';
import { revokeSecret } from '../../models/commands/revoke-secret.ts';
import type { CredentialDoc } from '../../models/schemas/credential.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { deed } from './deeds.ts';
import type { FourEyesGuard } from './four-eyes.ts';
import { permit } from './permit.ts';

const createSchema = Joi.object<Omit<CredentialFields, 'partnerId'>>({
  integrationId: Joi.string().required(),
  mode: Joi.string()
    .valid(...modes)
    .required(),
  scopes: Joi.array()
    .items(Joi.string().valid('events:write', 'events:read'))
    .min(1)
    .unique()
    .required(),
});

/** Everything about a key but what signs with it. */
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

/** The one answer with the secret in clear; no proxy or browser may keep it. */
function presentSecret({ credential, secretId, secret }: RevealedSecret) {
  return { credential: presentCredential(credential), secretId, secret };
}

export function credentialRoutes(
  router: Router<AdminState>,
  deps: ApiDeps,
  fourEyes: FourEyesGuard,
): void {
  const { models } = deps;
  const answerTo = (made: RevealedSecret) => ({ status: 201, body: presentSecret(made) });
  const create = fourEyes.guard('credential.create', answerTo);
  const rotate = fourEyes.guard('credential.rotate', answerTo);

  router.post(
    '/partners/:partnerId/credentials',
    permit('credential.create'),
    jsonBody,
    async (ctx) => {
      const input = bodyOf(ctx, createSchema);
      const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
      ctx.set('Cache-Control', 'no-store');
      await create(ctx, { partnerId, ...input });
    },
  );

  router.get('/partners/:partnerId/credentials', permit('read'), async (ctx) => {
    const { _id: partnerId } = await findPartner(models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(models.credentials, [{ partnerId }], query, presentCredential);
  });

  router.post('/credentials/:credentialId/secrets', permit('credential.rotate'), async (ctx) => {
    const { _id, partnerId, mode } = await findCredential(models, param(ctx, 'credentialId'));
    ctx.set('Cache-Control', 'no-store');
    await rotate(ctx, { partnerId, credentialId: _id, mode });
  });

  router.delete(
    '/credentials/:credentialId/secrets/:secretId',
    permit('credential.revoke-secret'),
    async (ctx) => {
      const secretId = param(ctx, 'secretId');
      const { _id, partnerId } = await findCredential(models, param(ctx, 'credentialId'));
      const credential = await deed(
        deps,
        ctx,
        { action: 'credential.revoke-secret', targetId: _id, partnerId, details: { secretId } },
        () => revokeSecret(deps, _id, secretId),
      );
      ctx.body = presentCredential(credential);
    },
  );

  router.delete('/credentials/:credentialId', permit('credential.revoke'), async (ctx) => {
    const { _id, partnerId } = await findCredential(models, param(ctx, 'credentialId'));
    const credential = await deed(
      deps,
      ctx,
      { action: 'credential.revoke', targetId: _id, partnerId },
      () => revokeCredential(deps, _id),
    );
    ctx.body = presentCredential(credential);
  });
}
