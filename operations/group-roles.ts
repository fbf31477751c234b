import { type GroupRole, operatorRoleOf, partnerRoleOf } from '../domain/group-roles.ts';
import { endAccessTokens } from '../models/identity/access-tokens.ts';
import { endOperatorTokens } from '../models/identity/operator-tokens.ts';
import { findOperator } from '../models/identity/operators.ts';
import { endSessions } from '../models/identity/sessions.ts';
import { noteAdmission } from '../models/identity/signed-in.ts';
import type { UserDoc } from '../models/schemas/people.ts';
import type { NotifyDeps } from './account.ts';
import { system } from './actor.ts';
import { execute } from './execute.ts';
import { changeRole } from './operators.ts';
import { changeUserRole } from './users.ts';

/** The role of a user whom the identity provider lets in, before and now. */
interface RoleChange {
  before: string;
  now: string;
}

/**
 * Admits a user who signs in at the identity provider, and notes when. Whoever is in none of the mapped groups does not
 * get in, and a lower role counts at once. A higher one does not: people give it.
 * @param mapped null if everybody with an account gets in
 * @returns whether the role changed; null for whoever does not get in, whose sessions and tokens end, since they were
 *   given for the groups
 * @throws ServiceError CONFLICT for one of the last two admins, or the last owner
 */
export async function admitByGroups(
  deps: NotifyDeps,
  mapped: readonly GroupRole[] | null,
  user: UserDoc,
  groups: readonly string[],
): Promise<{ change: RoleChange | null } | null> {
  const role = mapped && (await roleOfGroups(deps, mapped, user, groups));
  if (mapped === null || role !== null) {
    await noteAdmission(deps, user._id);
    return { change: role && role.before !== role.now ? role : null };
  }
  await endSessions(deps, user._id);
  await endAccessTokens(deps, user._id);
  await endOperatorTokens(deps, user.operatorId);
  return null;
}

async function roleOfGroups(
  deps: NotifyDeps,
  mapped: readonly GroupRole[],
  { _id: userId, operatorId, partnerId, role: teamRole }: UserDoc,
  groups: readonly string[],
): Promise<RoleChange | null> {
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
