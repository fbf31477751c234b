import type { Mode } from '../../domain/events.ts';
import { newToken } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretDoc } from '../schemas/credential.ts';
import type { CommandDeps } from './deps.ts';

/** A fresh signing secret: in clear for the one who asked, sealed for the database. */
export function newSecret(
  { sealer, now }: Pick<CommandDeps, 'sealer' | 'now'>,
  credentialId: string,
  mode: Mode,
): { secret: string; stored: SecretDoc } {
  const secret = `sk_${mode.toLowerCase()}_${newToken()}`;
  const stored: SecretDoc = {
    secretId: newId('secret'),
    sealed: sealer.seal(secret, credentialId),
    createdAt: new Date(now()),
    lastUsedAt: null,
    revokedAt: null,
  };
  return { secret, stored };
}
