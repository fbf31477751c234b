import type { Mode } from '../../domain/mode.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { Models } from '../schemas/index.ts';
import type { ReviewDoc, ReviewNoteDoc } from '../schemas/reviews.ts';
import { type PageQuery, page } from '../store/paging.ts';
import type { PartnerScope } from './partner-scope.ts';
import { readReviewNotes } from './review-notes.ts';

/** An operator's question, with its review, and whether it has an answer. */
export interface AskedQuestion {
  question: ReviewNoteDoc;
  review: ReviewDoc;
  isAnswered: boolean;
}

/** The operators' questions to a partner, newest first. */
export async function readQuestions(
  { models }: { models: Models },
  partnerId: PartnerScope,
  mode: Mode,
  query: PageQuery,
) {
  const { reviewNotes, reviews } = models;
  const conditions = [{ partnerId, mode, kind: 'QUESTION' }];
  const { items, nextCursor } = await page(
    reviewNotes,
    conditions,
    query,
    (one: ReviewNoteDoc) => one,
  );
  const reviewIds = { $in: items.map(({ reviewId }) => reviewId) };
  const [ofReviews, answers] = await Promise.all([
    reviews.find({ partnerId, _id: reviewIds }),
    reviewNotes.find({ partnerId, reviewId: reviewIds, kind: 'ANSWER' }),
  ]);
  const reviewBy = new Map(ofReviews.map((one) => [one._id, one]));
  const rows = items.flatMap((question): AskedQuestion[] => {
    const review = reviewBy.get(question.reviewId);
    const isAnswered = answers.some(
      ({ reviewId, at }) => reviewId === question.reviewId && at >= question.at,
    );
    return review ? [{ question, review, isAnswered }] : [];
  });
  return { items: rows, nextCursor };
}

/** The newest questions that are checked for an answer. */
const newestQuestions = { limit: 50 };

/** The number of reviews with an unanswered question, among the newest questions of a mode. */
export async function countUnanswered(
  deps: { models: Models },
  partnerId: PartnerScope,
  mode: Mode,
): Promise<number> {
  const { items } = await readQuestions(deps, partnerId, mode, newestQuestions);
  const waiting = items.filter(({ review, isAnswered }) => review.status === 'OPEN' && !isAnswered);
  return new Set(waiting.map(({ review }) => review._id)).size;
}

/** A partner's review with its questions and answers, oldest first; null if it has none. */
export async function readQuestionsOf(
  deps: { models: Models; sealer: Sealer },
  partnerId: PartnerScope,
  reviewId: string,
) {
  const review = await deps.models.reviews.findOne({ partnerId, _id: reviewId });
  if (review === null) return null;
  const notes = await readReviewNotes(deps, review, ['QUESTION', 'ANSWER']);
  return notes.length === 0 ? null : { review, notes };
}

export type ReviewTalk = NonNullable<Awaited<ReturnType<typeof readQuestionsOf>>>;
