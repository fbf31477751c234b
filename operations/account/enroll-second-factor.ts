import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { missingForEnrolment } from '../../domain/second-factor.ts';
import { findSelfInSession } from '../../models/identity/own-user.ts';
import { enrollSecondFactor } from '../../models/identity/second-factors.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation, ownAccount } from '../operation.ts';
import { notifyOfChange } from './notify-of-change.ts';

interface Enrolment {
  /** The current session. */
  sessionId: string;
  /** The secret of the authenticator app. */
  secret: string;
  /** The time step of the code that proved it. */
  step: number;
}

/** Sets up one's own second factor, and replaces any earlier one. */
export const enrollOwnFactor = operation({
  name: 'own-second-factor.enroll',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<Enrolment>({
    sessionId: idField,
    secret: Joi.string().required(),
    step: Joi.number().integer().required(),
  }),
  find: ({ models }, { sessionId }, { id }) => findSelfInSession(models, id, sessionId),
  approval: 'NONE',
  audit: (_input, { user: { partnerId, _id: targetId } }) => ({ partnerId, targetId }),

  /**
   * @returns the recovery codes in clear text, only once
   * @throws ServiceError FORBIDDEN unless the earlier factor was entered, or the first one confirmed by email
   */
  async run(
    deps: Pick<OperationDeps, 'config' | 'models' | 'sealer' | 'now' | 'sendMessage'>,
    { sessionId: _session, ...proved },
    { found: { user, session } },
  ): Promise<string[]> {
    const hasFactor = user.secondFactor !== null;
    const missing = missingForEnrolment({ ...session, hasFactor }, deps.now());
    if (missing === 'FACTOR')
      throw new ServiceError('FORBIDDEN', 'Confirm your second factor first.');
    if (missing === 'EMAIL') {
      throw new ServiceError('FORBIDDEN', 'Confirm your identity by email first.');
    }
    const { customerHashKey } = deps.config;
    const codes = await enrollSecondFactor({ ...deps, customerHashKey }, user._id, proved);
    await notifyOfChange(deps, user, 'A second factor was set up for your account.');
    return codes;
  },
});
