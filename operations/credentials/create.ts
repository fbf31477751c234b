import Joi from 'joi';
import { maxActiveKeys } from '../../domain/credentials.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import { findCredential } from '../../models/identity/credentials.ts';
import { requireIntegration } from '../../models/identity/integrations.ts';
import { findPartner } from '../../models/identity/partners.ts';
import type { CredentialDoc, Scope } from '../../models/schemas/integrations.ts';
import { insertOnce } from '../../models/store/insert-once.ts';
import { newToken } from '../../platform/hashing.ts';
import { idField } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';
import { addSecret, type SecretDeps } from './add-secret.ts';
import { newSecret, type RevealedSecret } from './new-secret.ts';

export interface CredentialFields {
  partnerId: string;
  integrationId: string;
  mode: Mode;
  scopes: Scope[];
}

/** Creates an API key with its first signing secret (docs/contract.md, Authentication). */
export const createCredential = sensitiveOperation({
  name: 'credential.create',
  permission: {
    operator: 'credential.create',
    user: { TEST: 'credential.test', LIVE: 'credential.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<CredentialFields>({
    partnerId: idField,
    integrationId: Joi.string().required(),
    mode: Joi.string()
      .valid(...modes)
      .required(),
    scopes: Joi.array()
      .items(Joi.string().valid('events:write', 'events:read'))
      .min(1)
      .unique()
      .required(),
  }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: {
    facts: (_deps, { partnerId, integrationId, mode, scopes }) => ({
      partnerId,
      integrationId,
      mode,
      scopes,
    }),
    needed: ({ mode }: { mode: Mode }) => mode === 'LIVE',
  },
  audit: ({ partnerId, ...details }) => ({ targetId: null, partnerId, details }),

  /**
   * If a key with this id exists, its unused secret is replaced, because the response with it was lost.
   * @throws ServiceError VALIDATION_FAILED for an integration that is not the partner's; CONFLICT for a
   *   LIVE key of a partner that is not live, and for a partner with the maximum number of active keys
   */
  async run(
    deps: SecretDeps,
    { partnerId, integrationId, mode, scopes },
    { found: partner, idOf },
  ): Promise<RevealedSecret> {
    const { models, now } = deps;
    const credentialId = idOf('credential');
    await requireIntegration(models, partnerId, integrationId);
    if (mode === 'LIVE' && partner.goLive.state !== 'LIVE') {
      throw new ServiceError(
        'CONFLICT',
        `${partnerId} is not live. LIVE credentials can be created once its go-live is approved.`,
      );
    }
    const keys = { partnerId, _id: { $ne: credentialId }, revokedAt: null };
    if ((await models.credentials.countDocuments(keys)) >= maxActiveKeys) {
      throw new ServiceError(
        'CONFLICT',
        `${partnerId} has ${maxActiveKeys} active keys, the maximum. Revoke one that is not in use first.`,
      );
    }
    const { secret, stored } = newSecret(deps, credentialId, mode);
    const credential: CredentialDoc = {
      _id: credentialId,
      partnerId,
      integrationId,
      mode,
      apiKey: `pk_${mode.toLowerCase()}_${newToken()}`,
      scopes,
      secrets: [stored],
      createdAt: new Date(now()),
      revokedAt: null,
    };
    if (await insertOnce(() => models.credentials.create(credential))) {
      return { credential, secretId: stored.secretId, secret };
    }
    const { secrets } = await findCredential(models, credentialId);
    return await addSecret(deps, credentialId, secrets[0]?.secretId);
  },

  completion: ({ credential: { _id: targetId }, secretId }) => ({
    targetId,
    details: { secretId },
  }),
});
