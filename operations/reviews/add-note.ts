import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { maxNoteChars, maxNotes } from '../../domain/review-notes.ts';
import { findReward } from '../../models/rewards/find-reward.ts';
import type { ReviewNoteDoc } from '../../models/schemas/review-note.ts';
import { sealForCustomer } from '../../models/store/data-keys.ts';
import { findReview } from '../../models/views/review-reasons.ts';
import type { OperationDeps } from '../deps.ts';
import { idField, longText } from '../fields.ts';
import { operation } from '../operation.ts';

/** Leaves a note on a review, for operators alone. */
export const addReviewNote = operation({
  name: 'review.add-note',
  permission: { operator: 'review.add-note', user: null },
  secondFactor: 'NEVER',
  input: Joi.object<{ reviewId: string; text: string }>({
    reviewId: idField,
    text: longText(maxNoteChars).required(),
  }),
  async find({ models }, { reviewId }) {
    const { partnerId, rewardId } = await findReview(models, reviewId);
    const { customerId } = await findReward(models, rewardId);
    return { partnerId, customerId };
  },
  approval: 'NONE',
  audit: ({ reviewId }, { partnerId }) => ({ targetId: reviewId, partnerId }),

  /** @throws ServiceError CONFLICT for a review that has as many as one may have */
  async run(
    deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'>,
    { reviewId, text },
    { actor, found, idOf },
  ): Promise<ReviewNoteDoc> {
    const { partnerId } = found;
    const { reviewNotes } = deps.models;
    if ((await reviewNotes.countDocuments({ partnerId, reviewId })) >= maxNotes) {
      throw new ServiceError('CONFLICT', `A review has at most ${maxNotes} notes.`);
    }
    const _id = idOf('reviewNote');
    const sealed = await sealForCustomer(deps, found, text, _id);
    const written = { partnerId, reviewId, authorId: actor.id, at: new Date(deps.now()) };
    const note: ReviewNoteDoc = { _id, ...written, kind: 'NOTE', sealed };
    await reviewNotes.create(note);
    return note;
  },

  completion: ({ _id: reviewNoteId }) => ({ details: { reviewNoteId } }),
});
