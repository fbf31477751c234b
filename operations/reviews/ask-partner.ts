import type { ReviewNoteDoc } from '../../models/schemas/reviews.ts';
import type { OperationDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { findNoted, noteInput, noteWritten, requireOpen, writeNote } from './write-note.ts';

/** Asks the partner a question about the refund of an open review. */
export const askPartner = operation({
  name: 'review.ask',
  permission: { operator: 'review.ask', user: null },
  secondFactor: 'NEVER',
  input: noteInput,
  find: findNoted,
  approval: 'NONE',
  audit: ({ reviewId }, { partnerId }) => ({ targetId: reviewId, partnerId }),

  /** @throws ServiceError CONFLICT for a decided review, or one with the maximum number of questions */
  async run(
    deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'>,
    { text },
    { actor, found, idOf },
  ): Promise<ReviewNoteDoc> {
    requireOpen(found);
    const _id = idOf('reviewNote');
    return await writeNote(deps, found, { _id, kind: 'QUESTION', authorId: actor.id, text });
  },

  completion: noteWritten,
});
