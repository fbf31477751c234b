import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { isRaise, type Role, roles } from '../../domain/operator-roles.ts';
import { requireTwoAdmins } from '../../models/identity/admins.ts';
import { findOperator } from '../../models/identity/operators.ts';
import { idField } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';
import { type NotifyOperatorDeps, notifyOperator } from './notify-operator.ts';

/**
 * Changes an operator's role, from the next request on. The write is conditional on the previous role,
 * which determines whether the change is a raise.
 */
export const changeRole = sensitiveOperation({
  name: 'operator.change-role',
  permission: { operator: 'operator.change-role', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ operatorId: string; role: Role }>({
    operatorId: idField,
    role: Joi.string()
      .valid(...roles)
      .required(),
  }),
  find: ({ models }, { operatorId }) => findOperator(models, operatorId),
  approval: {
    facts: (_deps, { operatorId, role: to }, { role: from }) => ({ operatorId, from, to }),
    needed: ({ from, to }: { from: Role; to: Role }) => isRaise(from, to),
  },
  audit: ({ operatorId, role: to }, { role: from }) => ({
    partnerId: null,
    targetId: operatorId,
    details: { from, to },
  }),

  /** @throws ServiceError CONFLICT if the role has changed in the meantime, and for one of the last two admins */
  async run(deps: NotifyOperatorDeps, { operatorId, role: to }, { found, actor }) {
    const { models, now } = deps;
    const introduction = { by: actor.id, at: new Date(now()), confirmedBy: null };
    const { modifiedCount } = await models.operators.updateOne(
      { _id: operatorId, role: found.role },
      {
        $set: { role: to },
        ...(isRaise(found.role, to) && { $push: { introductions: introduction } }),
      },
    );
    if (modifiedCount > 0 && found.role === 'admin' && found.revokedAt === null) {
      await requireTwoAdmins(models, () =>
        models.operators.updateOne({ _id: operatorId, role: to }, { $set: { role: 'admin' } }),
      );
    }
    const operator = await findOperator(models, operatorId);
    if (operator.role === to) {
      if (modifiedCount > 0)
        await notifyOperator(deps, operatorId, `Your role as an operator is now ${to}.`);
      return operator;
    }
    throw new ServiceError(
      'CONFLICT',
      `The role of ${operatorId} is now ${operator.role}. Reload and try again.`,
    );
  },
});
