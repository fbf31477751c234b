import { findUser } from '../identity/users.ts';
import type { UserDoc } from '../schemas/people.ts';
import type { ModelDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** A partner's users and open invitations. */
export async function readTeam({ models }: ModelDeps, partnerId: PartnerScope) {
  const [users, invitations] = await Promise.all([
    models.users.find({ partnerId, disabledAt: null }).sort({ _id: 1 }),
    models.invitations.find({ partnerId }).sort({ _id: -1 }),
  ]);
  return { users, invitations };
}

export type Team = Awaited<ReturnType<typeof readTeam>>;

/** A user of a partner. @throws ServiceError NOT_FOUND, also for another partner's */
export const readTeamUser = (
  { models }: ModelDeps,
  partnerId: PartnerScope,
  userId: string,
): Promise<UserDoc> => findUser(models, partnerId, userId);
