import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { findCredential } from '../../models/identity/credentials.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/**
 * Ends one signing secret; it stops working everywhere within seconds (docs/contract.md,
 * Authentication). Revoking it again keeps the first time.
 */
export const revokeSecret = operation({
  name: 'credential.revoke-secret',
  permission: {
    operator: 'credential.revoke-secret',
    user: { TEST: 'credential.test', LIVE: 'credential.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<{ credentialId: string; secretId: string }>({
    credentialId: idField,
    secretId: idField,
  }),
  approval: 'NONE',
  find: ({ models }, { credentialId }) => findCredential(models, credentialId),
  audit: ({ credentialId, secretId }, { partnerId }) => ({
    targetId: credentialId,
    partnerId,
    details: { secretId },
  }),

  /** @throws ServiceError NOT_FOUND for a secret of another key */
  async run({ models, now }: AuditDeps, { credentialId, secretId }, { found }) {
    const { partnerId, secrets } = found;
    if (!secrets.some((secret) => secret.secretId === secretId)) {
      throw new ServiceError(
        'NOT_FOUND',
        `${credentialId} has no secret ${JSON.stringify(secretId)}.`,
      );
    }
    await models.credentials.updateOne(
      { partnerId, _id: credentialId, secrets: { $elemMatch: { secretId, revokedAt: null } } },
      { $set: { 'secrets.$.revokedAt': new Date(now()) } },
    );
    return await findCredential(models, credentialId);
  },
});
