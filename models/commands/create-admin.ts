import { newToken, sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import type { AdminDoc } from '../schemas/admin.ts';
import type { CommandDeps } from './deps.ts';

/**
 * Makes an operator.
 * @returns the bearer token in clear, this once: only its hash is kept
 */
export async function createAdmin(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  { name }: { name: string },
): Promise<{ admin: AdminDoc; token: string }> {
  const token = `admin_${newToken()}`;
  const admin: AdminDoc = {
    _id: newId('admin'),
    name,
    tokenHash: sha256Hex(token),
    createdAt: new Date(now()),
    revokedAt: null,
  };
  await models.admins.create(admin);
  return { admin, token };
}
