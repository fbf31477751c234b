import type { CredentialDoc } from '../schemas/credential.ts';
import type { CommandDeps } from './deps.ts';
import { findCredential } from './find.ts';

/**
 * Ends an API key with all its secrets. Revoking it again keeps the first time.
 * @throws ServiceError NOT_FOUND
 */
export async function revokeCredential(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  credentialId: string,
): Promise<CredentialDoc> {
  const { partnerId } = await findCredential(models, credentialId);
  await models.credentials.updateOne(
    { partnerId, _id: credentialId, revokedAt: null },
    { $set: { revokedAt: new Date(now()) } },
  );
  return await findCredential(models, credentialId);
}
