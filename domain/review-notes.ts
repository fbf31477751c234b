/**
 * What is written beside a review: operators' notes for each other, which the partner never sees, their
 * questions to the partner, and its answers.
 */
export const reviewNoteKinds = ['NOTE', 'QUESTION', 'ANSWER'] as const;

export type ReviewNoteKind = (typeof reviewNoteKinds)[number];

export const maxNoteChars = 1_000;
/** Of each kind, on a review. More are refused: it is decided by then. */
export const maxNotes = 100;
