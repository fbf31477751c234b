import { type ReviewNoteKind, reviewNoteKinds } from '../../domain/review-notes.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { namesOfActors } from '../identity/actors.ts';
import type { Models } from '../schemas/index.ts';
import type { ReviewDoc, ReviewNoteDoc } from '../schemas/reviews.ts';
import { openAll } from '../store/data-keys.ts';

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
