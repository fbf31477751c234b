import Joi from 'joi';
import { invalidFields, ServiceError } from '../../domain/errors.ts';
import { may } from '../../domain/operator-roles.ts';
import type { ReviewDoc } from '../../models/schemas/reviews.ts';
import { findReview } from '../../models/views/review-reasons.ts';
import type { AuditDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';

/** Assigns an open review to an operator, or to nobody. Every operator with the permission can still decide it. */
export const assignReview = operation({
  name: 'review.assign',
  permission: { operator: 'review.assign', user: null },
  secondFactor: 'NEVER',
  input: Joi.object<{ reviewId: string; assigneeId: string | null }>({
    reviewId: idField,
    assigneeId: Joi.string().allow(null).required(),
  }),
  find: ({ models }, { reviewId }) => findReview(models, reviewId),
  approval: 'NONE',
  audit: ({ reviewId, assigneeId }, { partnerId }) => ({
    targetId: reviewId,
    partnerId,
    details: { assigneeId },
  }),

  /** @throws ServiceError VALIDATION_FAILED, or CONFLICT for a review that was decided */
  async run({ models }: AuditDeps, { assigneeId }, { found }): Promise<ReviewDoc> {
    if (assigneeId !== null) {
      const operator = await models.operators.findOne({ _id: assigneeId, revokedAt: null });
      if (!operator || !may(operator.role, 'review.decide')) {
        throw invalidFields({
          assigneeId: 'assigneeId must be an operator who can decide the review',
        });
      }
    }
    const { _id, partnerId } = found;
    const assigned = await models.reviews.findOneAndUpdate(
      { partnerId, _id, status: 'OPEN' },
      assigneeId === null ? { $unset: { assigneeId: '' } } : { $set: { assigneeId } },
      { returnDocument: 'after' },
    );
    if (assigned) return assigned;
    throw new ServiceError('CONFLICT', `${found._id} has already been decided.`);
  },
});
