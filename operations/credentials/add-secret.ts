import { maxActiveSecrets } from '../../domain/credentials.ts';
import { ServiceError } from '../../domain/errors.ts';
import { findCredential } from '../../models/identity/credentials.ts';
import type { OperationDeps } from '../deps.ts';
import { newSecret, type RevealedSecret } from './new-secret.ts';

export type SecretDeps = Pick<OperationDeps, 'models' | 'sealer' | 'now'>;

const activeSecretCount = {
  $size: { $filter: { input: '$secrets', cond: { $eq: ['$$this.revokedAt', null] } } },
};

/**
 * Adds a second active secret, so that a partner can switch without an outage (docs/contract.md,
 * Authentication). The write is conditional on the count, so that concurrent rotations cannot add a third.
 * An unused secret with the same id is replaced, because the response with it was lost.
 * @throws ServiceError NOT_FOUND, or CONFLICT if the credential is revoked or has two secrets already
 */
export async function addSecret(
  deps: SecretDeps,
  credentialId: string,
  secretId?: string,
): Promise<RevealedSecret> {
  const { models } = deps;
  const { partnerId, mode } = await findCredential(models, credentialId);
  const { secret, stored } = newSecret(deps, credentialId, mode, secretId);
  const replaced = await models.credentials.findOneAndUpdate(
    {
      partnerId,
      _id: credentialId,
      revokedAt: null,
      secrets: { $elemMatch: { secretId: stored.secretId, lastUsedAt: null, revokedAt: null } },
    },
    { $set: { 'secrets.$': stored } },
    { returnDocument: 'after' },
  );
  if (replaced) return { credential: replaced, secretId: stored.secretId, secret };
  const credential = await models.credentials.findOneAndUpdate(
    {
      partnerId,
      _id: credentialId,
      revokedAt: null,
      'secrets.secretId': { $ne: stored.secretId },
      $expr: { $lt: [activeSecretCount, maxActiveSecrets] },
    },
    { $push: { secrets: stored } },
    { returnDocument: 'after' },
  );
  if (credential) return { credential, secretId: stored.secretId, secret };
  const { revokedAt } = await findCredential(models, credentialId);
  throw new ServiceError(
    'CONFLICT',
    revokedAt
      ? `${credentialId} is revoked. Create a new credential.`
      : `${credentialId} has ${maxActiveSecrets} active secrets. Revoke one first.`,
  );
}
