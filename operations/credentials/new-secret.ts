import type { Mode } from '../../domain/mode.ts';
import type { CredentialDoc, SecretDoc } from '../../models/schemas/integrations.ts';
import { newToken } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import type { OperationDeps } from '../deps.ts';

/** A signing secret in clear text, which is shown only once and stored sealed. */
export interface RevealedSecret {
  credential: CredentialDoc;
  secretId: string;
  secret: string;
}

/** A new signing secret: in clear text for the response, and sealed for the database. */
export function newSecret(
  { sealer, now }: Pick<OperationDeps, 'sealer' | 'now'>,
  credentialId: string,
  mode: Mode,
  secretId: string = newId('secret'),
): { secret: string; stored: SecretDoc } {
  const secret = `sk_${mode.toLowerCase()}_${newToken()}`;
  const stored: SecretDoc = {
    secretId,
    sealed: sealer.seal(secret, credentialId),
    createdAt: new Date(now()),
    lastUsedAt: null,
    revokedAt: null,
  };
  return { secret, stored };
}
