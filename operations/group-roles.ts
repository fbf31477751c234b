import { type GroupRole, operatorRoleOf, partnerRoleOf } from '../domain/group-roles.ts';
import { findOperator } from '../models/identity/operators.ts';
import type { UserDoc } from '../models/schemas/people.ts';
import type { NotifyDeps } from './account.ts';
import { system } from './actor.ts';
import { execute } from './execute.ts';
import { changeRole } from './operators.ts';
import { changeUserRole } from './users.ts';

/**
 * Applies the groups of a user who signs in at the identity provider: whoever is in none of those that are mapped
 * does not get in, and a lower role counts at once. A higher one does not: people give it.
 * @returns the user's role before and now; null for whoever does not get in
 * @throws ServiceError CONFLICT for one of the last two admins, or the last owner
 */
export async function applyGroups(
  deps: NotifyDeps,
  mapped: readonly GroupRole[],
  { _id: userId, operatorId, partnerId, role: teamRole }: UserDoc,
  groups: readonly string[],
): Promise<{ before: string; now: string } | null> {
  const actor = system('single sign-on');
  if (operatorId !== null) {
    const { role: before } = await findOperator(deps.models, operatorId);
    const now = operatorRoleOf(mapped, groups, before);
    if (now === null) return null;
    if (now !== before) await execute(deps, changeRole, actor, { operatorId, role: now });
    return { before, now };
  }
  if (partnerId === null || teamRole === null) return null;
  const now = partnerRoleOf(mapped, groups, { partnerId, role: teamRole });
  if (now === null) return null;
  if (now !== teamRole) {
    await execute(deps, changeUserRole, actor, { partnerId, userId, role: now });
  }
  return { before: teamRole, now };
}
