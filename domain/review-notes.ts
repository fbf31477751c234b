/**
 * What is written about a review: operators' notes for each other, which the partner never sees,
 * their questions to the partner, and its answers.
 */
export const reviewNoteKinds = ['NOTE', 'QUESTION', 'ANSWER'] as const;

export type ReviewNoteKind = (typeof reviewNoteKinds)[number];

export const maxNoteChars = 1_000;
/** The most notes of each kind on one review. */
export const maxNotes = 100;
