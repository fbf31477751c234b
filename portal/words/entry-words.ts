import { wordsOf } from '../components/components.ts';

/** Names of kinds of ledger entries for partners. */
const entryWords: Readonly<Record<string, string>> = {
  TOP_UP: 'Top-up',
  WITHDRAWAL: 'Paid back to you',
  CORRECTION: 'Correction of a top-up',
  RESERVE: 'Reserved for a reward',
  RELEASE: 'Returned',
  VOID: 'Not reserved',
  CLAIM: 'Owed to the customer',
  CLAWBACK: 'Taken back',
  WRITE_OFF: 'Partly taken back',
};

/** The name of a kind of entry, or the kind itself if it has none. */
export function wordsOfEntry(kind: string): string {
  const key = entryWords[kind];
  return key === undefined ? wordsOf(kind) : key;
}
