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
  audit: ({ operatorId }, { introductions }) => ({
    ...{ partnerId: null, targetId: operatorId },
    details: { introducedBy: introductions.map(({ by }) => by) },
  }),

  /** @throws ServiceError FORBIDDEN for who introduced them, was introduced by them, or by the same */
  async run(
    { models, now }: AuditDeps,
    { operatorId },
    { actor: { id }, found: { introductions } },
  ): Promise<OperatorDoc> {
    if (!(await areIndependent(models, [id, operatorId], now()))) {
      throw new ServiceError(
        'FORBIDDEN',
        'This operator must be confirmed by somebody who had no part in introducing them.',
      );
    }
    // One that was added meanwhile is not confirmed with those that were judged.
    const judged = {
      'one.confirmedBy': null,
      'one.at': { $in: introductions.map(({ at }) => at) },
    };
    await models.operators.updateOne(
      { _id: operatorId },
      { $set: { 'introductions.$[one].confirmedBy': id } },
      { arrayFilters: [judged] },
    );
    return await findOperator(models, operatorId);
  },
});
