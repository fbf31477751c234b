import { ServiceError } from '../../domain/errors.ts';
import type { CredentialDoc } from '../schemas/credential.ts';
import type { CommandDeps } from './deps.ts';
import { findCredential } from './find.ts';

/**
 * Ends one signing secret; it stops working everywhere within seconds (contract, Requests). Revoking
 * it again keeps the first time.
 * @throws ServiceError NOT_FOUND
 */
export async function revokeSecret(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  credentialId: string,
  secretId: string,
): Promise<CredentialDoc> {
  const { partnerId, secrets } = await findCredential(models, credentialId);
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
}
