import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { maxNoteChars, maxNotes, type ReviewNoteKind } from '../../domain/review-notes.ts';
import { findReward } from '../../models/rewards/find-reward.ts';
import type { ReviewNoteDoc } from '../../models/schemas/reviews.ts';
import { sealForCustomer } from '../../models/store/data-keys.ts';
import { findReview } from '../../models/views/review-reasons.ts';
import type { OperationDeps } from '../deps.ts';
import { idField, longText } from '../fields.ts';
import type { FindDeps } from '../operation.ts';

interface NoteInput {
  reviewId: string;
  text: string;
}

/** The input that notes, questions and answers have in common. */
export const noteInput = Joi.object<NoteInput>({
  reviewId: idField,
  text: longText(maxNoteChars).required(),
});

/** The review of a note, and the customer that it is about. */
export async function findNoted({ models }: FindDeps, { reviewId }: NoteInput) {
  const { partnerId, mode, status, rewardId } = await findReview(models, reviewId);
  const { customerId } = await findReward(models, rewardId);
  return { partnerId, mode, status, customerId, reviewId };
}

export type Noted = Awaited<ReturnType<typeof findNoted>>;

/** Questions and answers require an open review. @throws ServiceError CONFLICT */
export function requireOpen({ status, reviewId }: Noted): void {
  if (status !== 'OPEN')
    throw new ServiceError('CONFLICT', `${reviewId} has already been decided.`);
}

/** @throws ServiceError CONFLICT for a review with the maximum number of this kind */
export async function writeNote(
  deps: Pick<OperationDeps, 'models' | 'sealer' | 'now'>,
  { partnerId, customerId, reviewId, mode }: Noted,
  {
    _id,
    kind,
    authorId,
    text,
  }: Pick<ReviewNoteDoc, '_id' | 'kind' | 'authorId'> & { text: string },
): Promise<ReviewNoteDoc> {
  const { reviewNotes } = deps.models;
  if ((await reviewNotes.countDocuments({ partnerId, reviewId, kind })) >= maxNotes) {
    throw new ServiceError('CONFLICT', `A review has at most ${maxNotes} ${words[kind]}.`);
  }
  const note: ReviewNoteDoc = {
    _id,
    partnerId,
    mode,
    reviewId,
    kind,
    authorId,
    at: new Date(deps.now()),
    sealed: await sealForCustomer(deps, { partnerId, customerId }, text, _id),
  };
  await reviewNotes.create(note);
  return note;
}

const words: Record<ReviewNoteKind, string> = {
  NOTE: 'notes',
  QUESTION: 'questions',
  ANSWER: 'answers',
};

/** What the audit log stores: the id of the note, without its text. */
export const noteWritten = ({ _id }: ReviewNoteDoc) => ({ details: { reviewNoteId: _id } });
