import { ServiceError } from '../../domain/errors.ts';
import { type Resetter, resetRefusal } from '../../domain/second-factor-reset.ts';
import type { SendMail } from '../../platform/mailer.ts';
import { factorResetMail } from '../../platform/portal-mails.ts';
import { endAccessTokens } from '../access-tokens.ts';
import type { UserDoc } from '../schemas/user.ts';
import { endSessions } from '../sessions.ts';
import type { CommandDeps } from './deps.ts';

export interface ResetDeps extends Pick<CommandDeps, 'models' | 'now'> {
  sendMail: SendMail;
  /** The portal's public address. */
  portalUrl: string;
}

/**
 * Takes the second factor from who has lost it, with all sessions and what was made by giving it, and
 * tells them by mail. They set up another when they next need one.
 * @throws ServiceError CONFLICT or FORBIDDEN, as `resetRefusal` says
 */
export async function resetSecondFactor(
  { models, now, sendMail, portalUrl }: ResetDeps,
  { _id, adminId, role, email, secondFactor }: UserDoc,
  by: Resetter,
): Promise<void> {
  const whose = {
    actorId: adminId ?? _id,
    partnerRole: role,
    hasFactor: secondFactor !== null,
  };
  const refusal = resetRefusal(by, whose);
  if (refusal) throw new ServiceError(refusal.code, refusal.message);
  // They end first: no session of before may enroll another factor, and a repeat after a crash ends them.
  await endSessions({ models }, _id);
  await endAccessTokens({ models }, _id);
  await models.users.updateOne({ _id }, { $set: { secondFactor: null } });
  if (email !== null) await sendMail(factorResetMail(portalUrl, email, { userId: _id, at: now() }));
}
