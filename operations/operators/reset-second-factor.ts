import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { isRaise, type Role } from '../../domain/operator-roles.ts';
import { findOperator } from '../../models/identity/operators.ts';
import { idField } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';
import { type ResetDeps, takeSecondFactor } from '../users/take-second-factor.ts';

/** Resets the second factor of an operator who has lost it. */
export const resetOperatorFactor = sensitiveOperation({
  name: 'operator.reset-second-factor',
  permission: { operator: 'operator.reset-second-factor', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ operatorId: string }>({ operatorId: idField }),
  find: ({ models }, { operatorId }) => findOperator(models, operatorId),
  approval: {
    facts: (_deps, { operatorId }, { name, role }) => ({ operatorId, name, role }),
    needed: ({ role }: { role: Role }) => isRaise('viewer', role),
  },
  audit: ({ operatorId }) => ({ partnerId: null, targetId: operatorId }),

  /** @throws ServiceError CONFLICT or FORBIDDEN, see `resetRefusal` */
  async run(deps: ResetDeps, { operatorId }, { actor, approvedBy }) {
    const { models } = deps;
    const user = await models.users.findOne({ operatorId, disabledAt: null });
    if (!user) throw new ServiceError('CONFLICT', 'This operator cannot sign in to the portal.');
    const actorIds = approvedBy === null ? [actor.id] : [actor.id, approvedBy];
    await takeSecondFactor(deps, user, { actorIds, kind: 'operator' });
    return await findOperator(models, operatorId);
  },
});
