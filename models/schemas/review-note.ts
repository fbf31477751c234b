import { modes } from '../../domain/mode.ts';
import { reviewNoteKinds } from '../../domain/review-notes.ts';
import { collection, date, oneOf, type Stored, text } from './fields.ts';

/** A note, question or answer about a review. Never changed. */
export const reviewNoteSchema = collection('review_notes', {
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  reviewId: text,
  kind: oneOf(reviewNoteKinds),
  authorId: text,
  /** The text, which may name the customer: sealed for the customer and bound to `_id`. */
  sealed: text,
  at: date,
});
export type ReviewNoteDoc = Stored<typeof reviewNoteSchema>;
reviewNoteSchema.index({ partnerId: 1, reviewId: 1, _id: 1 });
/** For the questions to a partner. */
reviewNoteSchema.index({ partnerId: 1, mode: 1, kind: 1, _id: -1 });
/** For recent answers of all partners. */
reviewNoteSchema.index({ kind: 1, mode: 1, _id: -1 });
