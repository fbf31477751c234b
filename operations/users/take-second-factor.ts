import { ServiceError } from '../../domain/errors.ts';
import { type Resetter, resetRefusal } from '../../domain/second-factor.ts';
import { factorResetMail } from '../../messaging/portal-mails.ts';
import { endAccessTokens } from '../../models/identity/access-tokens.ts';
import { endOperatorTokens } from '../../models/identity/operator-tokens.ts';
import { dropSecondFactor } from '../../models/identity/second-factors.ts';
import { endSessions } from '../../models/identity/sessions.ts';
import type { UserDoc } from '../../models/schemas/people.ts';
import type { OperationDeps } from '../deps.ts';

export type ResetDeps = Pick<OperationDeps, 'models' | 'now' | 'sendMessage'> & {
  config: { portal: { url: string } };
};

/**
 * Resets a user's second factor, ends all sessions and tokens, and notifies the user by email. The user sets
 * up another factor when they next need it.
 * @throws ServiceError CONFLICT or FORBIDDEN, see `resetRefusal`
 */
export async function takeSecondFactor(
  { models, now, sendMessage, config }: ResetDeps,
  { _id, operatorId, role, email, secondFactor }: UserDoc,
  by: Resetter,
): Promise<void> {
  const whose = {
    actorId: operatorId ?? _id,
    partnerRole: role,
    hasFactor: secondFactor !== null,
  };
  const refusal = resetRefusal(by, whose);
  if (refusal) throw new ServiceError(refusal.code, refusal.message);
  // Sessions end first, so that none of them can set up another factor; a repeat after a crash ends them, too.
  await endSessions({ models }, _id);
  await endAccessTokens({ models }, _id);
  await endOperatorTokens({ models, now }, operatorId);
  await dropSecondFactor(models, _id);
  if (email !== null)
    await sendMessage(factorResetMail(config.portal.url, email, { userId: _id, at: now() }));
}
