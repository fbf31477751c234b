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
 * Adds a second active secret, so that a partner changes over without an outage (docs/contract.md,
 * Authentication). The count is part of the write: two rotations at once cannot make a third. Under an id
 * that is there already and was never used, it takes that one's place: its answer was lost.
 * @throws ServiceError NOT_FOUND, or CONFLICT when the credential is revoked or has two already
 */
export async function addSecret(
  deps: SecretDeps,
  credentialId: string,
  secretId?: string,
): Promise<RevealedSecret> {
  const { models } = deps;
  const { partnerId, mode } = await findCredential(models, credentialId);
  const { secret, stored } = newSecret(deps, credentialId, mode, secretId);
  const replaced = await models.credentials
    .findOneAndUpdate(
      {
        partnerId,
        _id: credentialId,
        revokedAt: null,
        secrets: { $elemMatch: { secretId: stored.secretId, lastUsedAt: null, revokedAt: null } },
      },
      { $set: { 'secrets.$': stored } },
      { returnDocument: 'after' },
    )
    .lean();
  if (replaced) return { credential: replaced, secretId: stored.secretId, secret };
  const credential = await models.credentials
    .findOneAndUpdate(
      {
        partnerId,
        _id: credentialId,
        revokedAt: null,
        'secrets.secretId': { $ne: stored.secretId },
        $expr: { $lt: [activeSecretCount, maxActiveSecrets] },
      },
      { $push: { secrets: stored } },
      { returnDocument: 'after' },
    )
    .lean();
  if (credential) return { credential, secretId: stored.secretId, secret };
  const { revokedAt } = await findCredential(models, credentialId);
  throw new ServiceError(
    'CONFLICT',
    revokedAt
      ? `${credentialId} is revoked. Create a new credential.`
      : `${credentialId} has ${maxActiveSecrets} active secrets. Revoke one first.`,
  );
}
