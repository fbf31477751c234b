import { movementWords } from '../../models/ledger/index.ts';
import { wordsOf } from '../components/components.ts';

/** The name of a kind of entry, or the kind itself if it has none. */
export function wordsOfEntry(kind: string): string {
  const key = movementWords[kind];
  return key === undefined ? wordsOf(kind) : key;
}
