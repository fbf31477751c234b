import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import { type ReviewNoteKind, reviewNoteKinds } from '../../domain/review-notes.ts';

/** A note, question or answer about a review. Never changed. */
export interface ReviewNoteDoc {
  _id: string;
  partnerId: string;
  mode: Mode;
  reviewId: string;
  kind: ReviewNoteKind;
  authorId: string;
  /** The text, which may name the customer: sealed for the customer and bound to `_id`. */
  sealed: string;
  at: Date;
}

export const reviewNoteSchema = new Schema<ReviewNoteDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    reviewId: { type: String, required: true },
    kind: { type: String, enum: reviewNoteKinds, required: true },
    authorId: { type: String, required: true },
    sealed: { type: String, required: true },
    at: { type: Date, required: true },
  },
  { collection: 'review_notes', versionKey: false },
);
reviewNoteSchema.index({ partnerId: 1, reviewId: 1, _id: 1 });
/** For the questions to a partner. */
reviewNoteSchema.index({ partnerId: 1, mode: 1, kind: 1, _id: -1 });
/** For recent answers of all partners. */
reviewNoteSchema.index({ kind: 1, mode: 1, _id: -1 });
