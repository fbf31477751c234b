/** What is written beside a review: operators' notes for each other. */
export const reviewNoteKinds = ['NOTE'] as const;

export type ReviewNoteKind = (typeof reviewNoteKinds)[number];

export const maxNoteChars = 1_000;
/** More are refused: a review is decided by then. */
export const maxNotes = 100;
