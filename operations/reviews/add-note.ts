import type { OperationDeps } from '../deps.ts';
import { operation } from '../operation.ts';
import { findNoted, noteInput, noteWritten, writeNote } from './write-note.ts';

/** Adds a note to a review, for operators only. */
export const addReviewNote = operation({
  name: 'review.add-note',
  permission: { operator: 'review.add-note', user: null },
  secondFactor: 'NEVER',
  input: noteInput,
  find: findNoted,
  approval: 'NONE',
  audit: ({ reviewId }, { partnerId }) => ({ targetId: reviewId, partnerId }),

  /** @throws ServiceError CONFLICT for a review with the maximum number of notes */
  run: (deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'>, { text }, { actor, found, idOf }) =>
    writeNote(deps, found, { _id: idOf('reviewNote'), kind: 'NOTE', authorId: actor.id, text }),

  completion: noteWritten,
});
