import Joi from 'joi';
import { findUser } from '../../models/identity/users.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { type ResetDeps, takeSecondFactor } from './take-second-factor.ts';

/** Resets the second factor of a partner's user who has lost it; only operators can do so for owners. */
export const resetUserFactor = operation({
  name: 'user.reset-second-factor',
  permission: { operator: 'user.reset-second-factor', user: 'user.reset-second-factor' },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ partnerId: string; userId: string }>({ partnerId: idField, userId: idField }),
  find: ({ models }, { partnerId, userId }) => findUser(models, partnerId, userId),
  approval: 'NONE',
  audit: ({ partnerId, userId: targetId }) => ({ partnerId, targetId }),

  /** @throws ServiceError CONFLICT or FORBIDDEN, see `resetRefusal` */
  run: (deps: ResetDeps, _input, { actor, found }) =>
    takeSecondFactor(deps, found, {
      actorIds: [actor.id],
      kind: actor.kind === 'user' ? 'owner' : 'operator',
    }),
});
