import type { Router } from '@koa/router';
import Joi from 'joi';
import {
  type CredentialFields,
  createCredential,
  type RevealedSecret,
} from '../../models/commands/create-credential.ts';
import { findPartner } from '../../models/commands/find.ts';
import { revokeCredential } from '../../models/commands/revoke-credential.ts';
import { revokeSecret } from '../../models/commands/revoke-secret.ts';
import { rotateSecret } from '../../models/commands/rotate-secret.ts';
import type { CredentialDoc } from '../../models/schemas/credential.ts';
import type { ApiDeps } from '../deps.ts';
import { type AdminState, bodyOf, jsonBody, param, queryOf } from './context.ts';
import { recordDeed } from './deeds.ts';
import { page, pageSchema } from './paging.ts';

const createSchema = Joi.object<Omit<CredentialFields, 'partnerId'>>({
  integrationId: Joi.string().required(),
  mode: Joi.string().valid('TEST', 'LIVE').required(),
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

export function credentialRoutes(router: Router<AdminState>, deps: ApiDeps): void {
  router.post('/partners/:partnerId/credentials', jsonBody, async (ctx) => {
    const partnerId = param(ctx, 'partnerId');
    const input = bodyOf(ctx, createSchema);
    const created = await createCredential(deps, { partnerId, ...input });
    await recordDeed(deps, ctx, {
      action: 'credential.create',
      targetId: created.credential._id,
      partnerId,
      details: { ...input, secretId: created.secretId },
    });
    ctx.status = 201;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = presentSecret(created);
  });

  router.get('/partners/:partnerId/credentials', async (ctx) => {
    const { _id: partnerId } = await findPartner(deps.models, param(ctx, 'partnerId'));
    const query = queryOf(ctx, pageSchema);
    ctx.body = await page(deps.models.credentials, [{ partnerId }], query, presentCredential);
  });

  router.post('/credentials/:credentialId/secrets', async (ctx) => {
    const rotated = await rotateSecret(deps, param(ctx, 'credentialId'));
    await recordDeed(deps, ctx, {
      action: 'credential.rotate',
      targetId: rotated.credential._id,
      partnerId: rotated.credential.partnerId,
      details: { secretId: rotated.secretId },
    });
    ctx.status = 201;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = presentSecret(rotated);
  });

  router.delete('/credentials/:credentialId/secrets/:secretId', async (ctx) => {
    const secretId = param(ctx, 'secretId');
    const credential = await revokeSecret(deps, param(ctx, 'credentialId'), secretId);
    await recordDeed(deps, ctx, {
      action: 'credential.revoke-secret',
      targetId: credential._id,
      partnerId: credential.partnerId,
      details: { secretId },
    });
    ctx.body = presentCredential(credential);
  });

  router.delete('/credentials/:credentialId', async (ctx) => {
    const credential = await revokeCredential(deps, param(ctx, 'credentialId'));
    await recordDeed(deps, ctx, {
      action: 'credential.revoke',
      targetId: credential._id,
      partnerId: credential.partnerId,
    });
    ctx.body = presentCredential(credential);
  });
}
