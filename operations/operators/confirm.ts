import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { areIndependent } from '../../models/identity/introductions.ts';
import { findOperator } from '../../models/identity/operators.ts';
import type { OperatorDoc } from '../../models/schemas/operator.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/**
 * Somebody who has not introduced an operator says that they know them: from then on the two count as
 * different people, who may approve what the other proposes.
 */
export const confirmOperator = operation({
  name: 'operator.confirm',
  permission: { operator: 'operator.confirm', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ operatorId: string }>({ operatorId: idField }),
  find: ({ models }, { operatorId }) => findOperator(models, operatorId),
  approval: 'NONE',
  audit: ({ operatorId }, { introducedBy }) => ({
    ...{ partnerId: null, targetId: operatorId },
    details: { introducedBy },
  }),

  /** @throws ServiceError FORBIDDEN for who introduced them, was introduced by them, or by the same */
  async run({ models, now }: AuditDeps, { operatorId }, { actor: { id } }): Promise<OperatorDoc> {
    if (!(await areIndependent(models, [id, operatorId], now()))) {
      throw new ServiceError(
        'FORBIDDEN',
        'This operator must be confirmed by somebody who had no part in introducing them.',
      );
    }
    await models.operators.updateOne({ _id: operatorId }, { $set: { confirmedBy: id } });
    return await findOperator(models, operatorId);
  },
});
