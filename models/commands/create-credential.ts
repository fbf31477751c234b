import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/events.ts';
import { newToken } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { insertOnce } from '../insert-once.ts';
import type { CredentialDoc, Scope } from '../schemas/credential.ts';
import type { CommandDeps } from './deps.ts';
import { findCredential, findPartner, requireIntegration } from './find.ts';
import { newSecret, type RevealedSecret } from './new-secret.ts';
import { rotateSecret } from './rotate-secret.ts';

export interface CredentialFields {
  partnerId: string;
  integrationId: string;
  mode: Mode;
  scopes: Scope[];
}

/**
 * Makes an API key with its first signing secret (contract, Requests). Under an id that is there
 * already, a fresh secret takes the place of the first, which nobody has used: its answer was lost.
 * @throws ServiceError NOT_FOUND without such a partner, VALIDATION_FAILED for an integration that is
 *   not the partner's, CONFLICT for a LIVE key of a partner that is not live
 */
export async function createCredential(
  deps: CommandDeps,
  { partnerId, integrationId, mode, scopes }: CredentialFields,
  credentialId: string = newId('credential'),
): Promise<RevealedSecret> {
  const { models, now } = deps;
  const partner = await findPartner(models, partnerId);
  await requireIntegration(models, partnerId, integrationId);
  if (mode === 'LIVE' && partner.goLive.state !== 'LIVE') {
    throw new ServiceError(
      'CONFLICT',
      `${partnerId} is not live. LIVE credentials can be made once its go-live is approved.`,
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
  return await rotateSecret(deps, credentialId, secrets[0]?.secretId);
}
