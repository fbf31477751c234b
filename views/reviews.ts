import { type Mode, modes } from '../domain/mode.ts';
import { worstCentsOf } from '../domain/redemption.ts';
import { type ReviewNoteKind, reviewIdOf, reviewNoteKinds } from '../domain/review.ts';
import { namesOfActors } from '../models/identity/operators.ts';
import type { Models } from '../models/schemas/index.ts';
import {
  type ReviewDoc,
  type ReviewNoteDoc,
  reviewQueueIndexes,
} from '../models/schemas/reviews.ts';
import { openAll } from '../models/store/data-keys.ts';
import { createdOn, type DayRange } from '../models/store/day-range.ts';
import { defaultLimit, given, type PageQuery, readPage } from '../models/store/paging.ts';
import { requireFound } from '../models/store/require-found.ts';
import { idBound } from '../platform/ids.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { TimedDeps } from './deps.ts';
import { readPartnerNames } from './names.ts';
import type { PartnerScope } from './partner-scope.ts';

/** Filters of open reviews; a review must meet all given ones. */
export interface QueueFilter {
  partnerId?: string | undefined;
  mode?: Mode | undefined;
  /** The assigned operator. */
  assigneeId?: string | undefined;
  /** Only reviews due before this. */
  dueBefore?: Date | undefined;
  /** Conditions on the ids. */
  openedOn?: readonly Record<string, unknown>[];
}

/** The last review on the previous page. */
export interface ReviewQueuePlace {
  dueAt: Date;
  reviewId: string;
}

/**
 * A page of the open reviews, the first due first. It costs the same however many are open.
 * @param limit maximum number of reviews, at least 1
 */
export async function readReviewQueue(
  { reviews }: Models,
  { partnerId, mode, assigneeId, dueBefore, openedOn = [] }: QueueFilter,
  limit: number,
  after?: ReviewQueuePlace,
): Promise<ReviewDoc[]> {
  return await reviews
    .find({
      ...(partnerId !== undefined && { partnerId }),
      ...(assigneeId !== undefined && { assigneeId }),
      status: 'OPEN',
      // The database merges the ranges of both modes in order.
      mode: mode ?? { $in: modes },
      dueAt: { $gte: after?.dueAt ?? new Date(0), ...(dueBefore && { $lt: dueBefore }) },
      // The index contains the ids, so reviews of other days are not read.
      ...(openedOn.length > 0 && { $and: [...openedOn] }),
      ...(after && {
        $or: [
          { dueAt: { $gt: after.dueAt } },
          { dueAt: after.dueAt, _id: { $gt: after.reviewId } },
        ],
      }),
    })
    .sort({ dueAt: 1, _id: 1 })
    .hint(indexOf({ partnerId, assigneeId }))
    .limit(limit);
}

/** One operator is assigned few reviews, so their index is used whatever the partner. */
function indexOf({ partnerId, assigneeId }: QueueFilter): string {
  if (assigneeId !== undefined) return reviewQueueIndexes.ofAssignee;
  return partnerId === undefined ? reviewQueueIndexes.all : reviewQueueIndexes.ofPartner;
}

/** The lists of reviews. */
export const reviewStates = ['OPEN', 'MINE', 'OVERDUE', 'BY_POLICY', 'DECIDED'] as const;
export type ReviewState = (typeof reviewStates)[number];

/** Filters of reviews. Days are those of the refund. */
export interface ReviewFilter extends DayRange {
  mode: Mode | undefined;
  partnerId: string | undefined;
}

/** A page of open reviews, the first due first. @returns `last` if there is a next page */
export async function readOpenReviews(
  deps: TimedDeps,
  filter: ReviewFilter & { isOverdue: boolean; assigneeId: string | undefined },
  after: ReviewQueuePlace | undefined,
) {
  const { isOverdue, fromDay, toDay, ...narrowed } = filter;
  const dueBefore = isOverdue ? new Date(deps.now()) : undefined;
  const queue = { ...narrowed, dueBefore, openedOn: openedOn({ fromDay, toDay }) };
  const read = await readReviewQueue(deps.models, queue, defaultLimit + 1, after);
  const items = read.slice(0, defaultLimit);
  const last = read.length > defaultLimit ? items.at(-1) : undefined;
  return { ...(await named(deps, items)), last };
}

/** A page of reviews that no longer wait for an operator, newest first. */
export async function readDecidedReviews(
  deps: TimedDeps,
  { mode, partnerId, ...days }: ReviewFilter,
  query: PageQuery,
  status: 'BY_POLICY' | 'DECIDED' = 'DECIDED',
) {
  const conditions = [...given({ status, mode, partnerId }), ...openedOn(days)];
  const decided = await readPage(deps.models.reviews, conditions, query, (one: ReviewDoc) => one);
  return { ...(await named(deps, decided.items)), nextCursor: decided.nextCursor };
}

/** A condition on ids, which contain the time of the refund. */
export const openedOn = (days: DayRange) =>
  createdOn(days, (atMs) => reviewIdOf(idBound('event', atMs)));

/** Reviews by their ids, in the order of the ids. */
export async function readReviewsById(
  { models }: Pick<TimedDeps, 'models'>,
  reviewIds: readonly string[],
) {
  const reviews = await models.reviews.find({ _id: { $in: reviewIds } });
  return await named(
    { models },
    reviews.toSorted((a, b) => (a._id < b._id ? -1 : 1)),
  );
}

/** Reviews with the names of their partners and assignees, what they are about, and which wait for the partner's answer. */
export type NamedReviews = Awaited<ReturnType<typeof named>>;

export async function named({ models }: Pick<TimedDeps, 'models'>, items: ReviewDoc[]) {
  const [nameOf, partners, assignees, rewards, notes] = await Promise.all([
    readPartnerNames({ models }, items),
    models.partners.find(
      { _id: { $in: items.map(({ partnerId }) => partnerId) } },
      { currency: 1, redemptions: 1 },
    ),
    namesOfActors(
      models,
      items.map(({ assigneeId = null }) => assigneeId),
    ),
    models.rewards.find({ _id: { $in: items.map(({ rewardId }) => rewardId) } }, { currency: 1 }),
    models.reviewNotes
      .find(
        {
          partnerId: { $in: items.map(({ partnerId }) => partnerId) },
          reviewId: { $in: items.map(({ _id }) => _id) },
          kind: { $in: ['QUESTION', 'ANSWER'] },
        },
        { reviewId: 1, kind: 1 },
      )
      .hint({ partnerId: 1, reviewId: 1, _id: 1 }),
  ]);
  const lastOf = new Map(
    notes
      .toSorted((a, b) => (a._id < b._id ? -1 : 1))
      .map(({ reviewId, kind }) => [reviewId, kind]),
  );
  const isWaiting = ({ _id }: ReviewDoc) => lastOf.get(_id) === 'QUESTION';
  const currencyOf = new Map(rewards.map(({ _id, currency }) => [_id, currency]));
  const partnerOf = new Map(partners.map((one) => [one._id, one]));
  const costOf = new Map(
    items.flatMap((one) => {
      const { _id, amountCents, liabilityCents } = one;
      const currency = currencyOf.get(one.rewardId);
      const partner = partnerOf.get(one.partnerId);
      if (currency === undefined || partner === undefined) return [];
      const worstCents = worstCentsOf(one, partner);
      return [[_id, { amountCents, liabilityCents, worstCents, currency }]];
    }),
  );
  return { items, nameOf, assignees, costOf, isWaiting };
}

/** A note with its unsealed text. */
export interface OpenedNote extends Pick<ReviewNoteDoc, '_id' | 'kind' | 'at'> {
  author: string;
  /** Null if the customer was erased. */
  text: string | null;
}

/** The notes, questions and answers of a review, oldest first. @param kinds all by default */
export async function readReviewNotes(
  deps: { models: Models; sealer: Sealer },
  { partnerId, _id: reviewId }: Pick<ReviewDoc, 'partnerId' | '_id'>,
  kinds: readonly ReviewNoteKind[] = reviewNoteKinds,
): Promise<OpenedNote[]> {
  const { models } = deps;
  const notes = await models.reviewNotes
    .find({ partnerId, reviewId, kind: { $in: kinds } })
    .sort({ _id: 1 });
  const [texts, nameOf] = await Promise.all([
    openAll(
      deps,
      notes.map(({ _id: context, sealed }) => ({ partnerId, sealed, context })),
    ),
    namesOfActors(
      models,
      notes.map(({ authorId }) => authorId),
    ),
  ]);
  return notes.map(({ _id, kind, at, authorId }, place) => ({
    _id,
    kind,
    at,
    author: nameOf.get(authorId) ?? authorId,
    text: texts[place] ?? null,
  }));
}

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
  const { items, nextCursor } = await readPage(
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

/** @throws ServiceError NOT_FOUND */
export async function findReview(models: Models, reviewId: string): Promise<ReviewDoc> {
  return requireFound(await models.reviews.findById(reviewId), 'review', reviewId);
}

/** The reasons of reviews' decisions, in order; null without a decision, or if the customer was erased. */
export async function reasonsOf(
  deps: { models: Models; sealer: Sealer },
  reviews: readonly ReviewDoc[],
): Promise<(string | null)[]> {
  const sealed = reviews.flatMap(({ _id: context, partnerId, decision }) =>
    decision && decision.sealedReason !== ''
      ? [{ partnerId, sealed: decision.sealedReason, context }]
      : [],
  );
  const opened = await openAll(deps, sealed);
  const reasonBy = new Map(sealed.map(({ context }, place) => [context, opened[place] ?? null]));
  return reviews.map(({ _id }) => reasonBy.get(_id) ?? null);
}
