import Joi from 'joi';
import { findOwnUser } from '../../models/identity/own-user.ts';
import { enrollSecondFactor } from '../../models/identity/second-factors.ts';
import type { OperationDeps } from '../deps.ts';
import { operation, ownAccount } from '../operation.ts';
import { tellChange } from './tell-change.ts';

interface Enrolment {
  /** Of the authenticator app. */
  secret: string;
  /** The half minute of the code that proved it. */
  step: number;
}

/** Sets up one's second factor, in place of any before. */
export const enrollOwnFactor = operation({
  name: 'own-second-factor.enroll',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<Enrolment>({
    secret: Joi.string().required(),
    step: Joi.number().integer().required(),
  }),
  find: ({ models }, _input, { id }) => findOwnUser(models, id),
  approval: 'NONE',
  audit: (_input, { partnerId, _id: targetId }) => ({ partnerId, targetId }),

  /** @returns the recovery codes in clear, this once */
  async run(
    deps: Pick<OperationDeps, 'config' | 'models' | 'sealer' | 'now' | 'sendMessage'>,
    proved,
    { found: user },
  ): Promise<string[]> {
    const { customerHashKey } = deps.config;
    const codes = await enrollSecondFactor({ ...deps, customerHashKey }, user._id, proved);
    await tellChange(deps, user, 'A second factor was set up for your account.');
    return codes;
  },
});
