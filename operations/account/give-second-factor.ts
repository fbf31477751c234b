import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { findSelfInSession } from '../../models/identity/own-user.ts';
import { takeCode } from '../../models/identity/second-factors.ts';
import { strengthenSession } from '../../models/identity/sessions.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation, ownAccount } from '../operation.ts';

/** Enters one's own second factor in a session, whose cookie is renewed. */
export const giveSecondFactor = operation({
  name: 'own-second-factor.give',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ code: string; sessionId: string }>({
    code: Joi.string().required(),
    sessionId: idField,
  }),
  find: ({ models }, { sessionId }, { id }) => findSelfInSession(models, id, sessionId),
  approval: 'NONE',
  audit: ({ sessionId: targetId }, { user: { partnerId } }) => ({ partnerId, targetId }),

  /**
   * @returns the cookie's new value in clear text
   * @throws ServiceError VALIDATION_FAILED for a wrong code
   */
  async run(
    deps: Pick<OperationDeps, 'config' | 'models' | 'sealer' | 'now'>,
    { code },
    { found: { user, session } },
  ): Promise<string> {
    const { customerHashKey } = deps.config;
    if (await takeCode({ ...deps, customerHashKey }, user, code)) {
      return await strengthenSession(deps, session);
    }
    throw new ServiceError('VALIDATION_FAILED', 'This code is wrong or has already been used.');
  },
});
