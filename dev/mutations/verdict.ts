/** The verdict on a mutant: a test failed, all tests that reach it passed, or none reaches it. */
export type Verdict = { fate: 'killed'; by: string } | { fate: 'survived' } | { fate: 'untouched' };
