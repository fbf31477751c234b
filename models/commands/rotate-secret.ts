import { ServiceError } from '../../domain/errors.ts';
import { maxActiveSecrets } from '../schemas/credential.ts';
import type { RevealedSecret } from './create-credential.ts';
import type { CommandDeps } from './deps.ts';
import { findCredential } from './find.ts';
import { newSecret } from './new-secret.ts';

const activeSecretCount = {
  $size: { $filter: { input: '$secrets', cond: { $eq: ['$$this.revokedAt', null] } } },
};

/**
 * Adds a second active secret, so that a partner changes over without an outage (contract, Requests).
 * The count is part of the write: two rotations at once cannot make a third.
 * @throws ServiceError NOT_FOUND, or CONFLICT when the credential is revoked or has two already
 */
export async function rotateSecret(
  deps: CommandDeps,
  credentialId: string,
): Promise<RevealedSecret> {
  const { models } = deps;
  const { partnerId, mode } = await findCredential(models, credentialId);
  const { secret, stored } = newSecret(deps, credentialId, mode);
  const credential = await models.credentials
    .findOneAndUpdate(
      {
        partnerId,
        _id: credentialId,
        revokedAt: null,
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
      ? `${credentialId} is revoked. Make a new credential.`
      : `${credentialId} has ${maxActiveSecrets} active secrets. Revoke one first.`,
  );
}
