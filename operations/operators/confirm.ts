import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { areIndependent } from '../../models/identity/introductions.ts';
import { findOperator } from '../../models/identity/operators.ts';
import type { OperatorDoc } from '../../models/schemas/people.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/**
 * Confirms that an operator whom somebody else introduced is a different person. From then on the two can
 * approve each other's proposals.
 */
export const confirmOperator = operation({
  name: 'operator.confirm',
  permission: { operator: 'operator.confirm', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<{ operatorId: string }>({ operatorId: idField }),
  find: ({ models }, { operatorId }) => findOperator(models, operatorId),
  approval: 'NONE',
  audit: ({ operatorId }, { introductions }) => ({
    partnerId: null,
    targetId: operatorId,
    details: { introducedBy: introductions.map(({ by }) => by) },
  }),

  /** @throws ServiceError FORBIDDEN if one of the two introduced the other, or one operator introduced both */
  async run(
    { models, now }: AuditDeps,
    { operatorId },
    { actor: { id }, found: { introductions } },
  ): Promise<OperatorDoc> {
    if (!(await areIndependent(models, [id, operatorId], now()))) {
      throw new ServiceError(
        'FORBIDDEN',
        'This operator must be confirmed by an operator who was not involved in introducing them.',
      );
    }
    // Only confirms the introductions that were checked, not those added in the meantime.
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
