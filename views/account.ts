import type { NoticeRhythm } from '../domain/partners.ts';
import { accessTokensOf } from '../models/identity/access-tokens.ts';
import { invitationMs, invitedUserId } from '../models/identity/invitations.ts';
import { findOperator } from '../models/identity/operators.ts';
import { sessionsOf } from '../models/identity/sessions.ts';
import { findUser } from '../models/identity/users.ts';
import type { InvitationDoc, OperatorDoc, UserDoc } from '../models/schemas/people.ts';
import { type ListPage, type PageQuery, readPage } from '../models/store/paging.ts';
import { sha256Hex } from '../platform/hashing.ts';
import { isIdOf, timeOfId } from '../platform/ids.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** A user's sessions and access tokens. */
export async function readAccount(deps: Pick<ViewDeps, 'models' | 'now'>, userId: string) {
  const [sessions, tokens] = await Promise.all([
    sessionsOf(deps, userId),
    accessTokensOf(deps, userId),
  ]);
  return { sessions, tokens };
}

export type Account = Awaited<ReturnType<typeof readAccount>>;

/** The notices that a user receives by email, and how often. */
export async function readNotices(
  { models }: Pick<ViewDeps, 'models'>,
  userId: string,
): Promise<{ notices: string[]; rhythm: NoticeRhythm }> {
  const chosen = await models.webhookEndpoints.findOne({ userId }, { eventTypes: 1, rhythm: 1 });
  return { notices: chosen?.eventTypes ?? [], rhythm: chosen?.rhythm ?? 'AT_ONCE' };
}

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

/** Why an invitation can't be accepted. It was withdrawn if it was revoked or replaced by a newer one. */
export type InvitationEnd = 'ACCEPTED' | 'EXPIRED' | 'WITHDRAWN' | 'UNKNOWN';

/**
 * Reads an invitation, or how it ended.
 * @param token from the link in the email
 */
export async function readInvitation(
  { models, now }: Pick<ViewDeps, 'models' | 'now'>,
  token: string,
): Promise<InvitationDoc | InvitationEnd> {
  const invitation = await models.invitations.findOne({ tokenHash: sha256Hex(token) });
  if (invitation) return invitation.expiresAt.getTime() > now() ? invitation : 'EXPIRED';
  const [_id = ''] = token.split('-');
  if (!isIdOf('invitation', _id)) return 'UNKNOWN';
  if (await models.users.exists({ _id: invitedUserId({ _id }) })) return 'ACCEPTED';
  return timeOfId(_id) + invitationMs <= now() ? 'EXPIRED' : 'WITHDRAWN';
}

/** A page of all operators. */
export const readOperators = (
  { models }: ModelDeps,
  query: PageQuery,
): Promise<ListPage<OperatorDoc>> => readPage(models.operators, [], query, (operator) => operator);

export type Operators = Awaited<ReturnType<typeof readOperators>>;

/** An operator with their user account in the portal. @throws ServiceError NOT_FOUND */
export async function readOperator({ models }: ModelDeps, operatorId: string) {
  const operator = await findOperator(models, operatorId);
  const user = await models.users.findOne({ operatorId, disabledAt: null });
  return { operator, user };
}

export type OperatorDetails = Awaited<ReturnType<typeof readOperator>>;
