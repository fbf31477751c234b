import { ServiceError } from '../../domain/errors.ts';
import type { ReviewNoteDoc } from '../../models/schemas/reviews.ts';
import type { OperationDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { findNoted, noteInput, noteWritten, requireOpen, writeNote } from './write-note.ts';

/** Answers the operators' question to the partner on an open review. */
export const answerReview = operation({
  name: 'review.answer',
  permission: { operator: null, user: 'review.answer' },
  secondFactor: 'NEVER',
  input: noteInput,
  find: findNoted,
  approval: 'NONE',
  audit: ({ reviewId }, { partnerId }) => ({ targetId: reviewId, partnerId }),

  /** @throws ServiceError NOT_FOUND without a question; CONFLICT as for a question */
  async run(
    deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'>,
    { text, reviewId },
    { actor, found, idOf },
  ): Promise<ReviewNoteDoc> {
    const { partnerId } = found;
    const question = { partnerId, reviewId, kind: 'QUESTION' as const };
    if ((await deps.models.reviewNotes.exists(question)) === null) {
      throw new ServiceError('NOT_FOUND', 'There is no question to answer here.');
    }
    requireOpen(found);
    const _id = idOf('reviewNote');
    return await writeNote(deps, found, { _id, kind: 'ANSWER', authorId: actor.id, text });
  },

  completion: noteWritten,
});
