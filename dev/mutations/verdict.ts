/** What became of a mutant: a test failed, all that touch it passed, or none touches it. */
export type Verdict = { fate: 'killed'; by: string } | { fate: 'survived' } | { fate: 'untouched' };
