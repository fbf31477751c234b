import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import { type ReviewNoteKind, reviewNoteKinds } from '../../domain/review-notes.ts';

/** What somebody wrote beside a review. It stays as it is. */
export interface ReviewNoteDoc {
  _id: string;
  partnerId: string;
  mode: Mode;
  reviewId: string;
  kind: ReviewNoteKind;
  authorId: string;
  /** The words, which may name the customer: sealed for them and bound to `_id`. */
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
/** What a partner was asked. */
reviewNoteSchema.index({ partnerId: 1, mode: 1, kind: 1, _id: -1 });
/** What was answered of late, whoever by. */
reviewNoteSchema.index({ kind: 1, mode: 1, _id: -1 });
