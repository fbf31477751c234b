import type { Models } from '../schemas/index.ts';
import type { CredentialDoc } from '../schemas/integrations.ts';
import { requireFound } from '../store/require-found.ts';

/** @throws ServiceError NOT_FOUND */
export async function findCredential(models: Models, credentialId: string): Promise<CredentialDoc> {
  return requireFound(await models.credentials.findById(credentialId), 'credential', credentialId);
}
