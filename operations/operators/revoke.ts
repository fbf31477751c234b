import Joi from 'joi';
import { requireTwoAdmins } from '../../models/identity/admins.ts';
import { endInvitations } from '../../models/identity/end-invitations.ts';
import { findOperator } from '../../models/identity/operators.ts';
import { endSessions } from '../../models/identity/sessions.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { type NotifyOperatorDeps, notifyOperator } from './notify-operator.ts';

/**
 * Revokes an operator with all tokens, sessions and open invitations, with immediate effect. Revoking
 * again keeps the first time.
 */
export const revokeOperator = operation({
  name: 'operator.revoke',
  permission: { operator: 'operator.revoke', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ operatorId: string }>({ operatorId: idField }),
  find: ({ models }, { operatorId }) => findOperator(models, operatorId),
  approval: 'NONE',
  audit: ({ operatorId }) => ({ partnerId: null, targetId: operatorId }),

  /** @throws ServiceError CONFLICT for one of the last two admins */
  async run(deps: NotifyOperatorDeps, { operatorId }, { found: { role } }) {
    const { models, now } = deps;
    const revokedAt = new Date(now());
    const { modifiedCount } = await models.operators.updateOne(
      { _id: operatorId, revokedAt: null },
      { $set: { revokedAt } },
    );
    if (modifiedCount > 0 && role === 'admin') {
      await requireTwoAdmins(models, () =>
        models.operators.updateOne({ _id: operatorId, revokedAt }, { $set: { revokedAt: null } }),
      );
    }
    // Before the address is removed, which another operator can use from then on.
    if (modifiedCount > 0) await notifyOperator(deps, operatorId, 'You are no longer an operator.');
    const user = await models.users.findOneAndUpdate(
      { operatorId, disabledAt: null },
      {
        $set: {
          disabledAt: new Date(now()),
          email: null,
          passwordHash: null,
          secondFactor: null,
        },
      },
    );
    if (user) await endSessions({ models }, user._id);
    await endInvitations({ models }, operatorId);
    return await findOperator(models, operatorId);
  },
});
