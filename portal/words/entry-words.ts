import { wordsOf } from '../html/components.ts';
import { type PlainKey, say } from './say.ts';

/** Names of kinds of ledger entries for partners. */
const entryWords: Readonly<Record<string, PlainKey>> = {
  TOP_UP: 'entry.topUp',
  RESERVE: 'entry.reserve',
  RELEASE: 'entry.release',
  VOID: 'entry.void',
  CLAIM: 'entry.claim',
  CLAWBACK: 'entry.clawback',
  WRITE_OFF: 'entry.writeOff',
};

/** The name of a kind of entry, or the kind itself if it has none. */
export function wordsOfEntry(kind: string): string {
  const key = entryWords[kind];
  return key === undefined ? wordsOf(kind) : say(key);
}
