import type { Posting } from '../../domain/postings.ts';

/** Postings as text, the same for the same postings in any order. */
export function spelled(postings: readonly Posting[]): string {
  return postings
    .map(({ account, unit, amount }) => `${account} ${amount} ${unit}`)
    .toSorted()
    .join(', ');
}
