import { wordsOf } from '../html/components.ts';
import { type PlainKey, say } from './say.ts';

/** What the kinds of entries in the books are to whoever pays for them. */
const entryWords: Readonly<Record<string, PlainKey>> = {
  TOP_UP: 'entry.topUp',
  RESERVE: 'entry.reserve',
  RELEASE: 'entry.release',
  VOID: 'entry.void',
  CLAIM: 'entry.claim',
  CLAWBACK: 'entry.clawback',
  WRITE_OFF: 'entry.writeOff',
};

/** What an entry is; its kind where no words are known for it. */
export function wordsOfEntry(kind: string): string {
  const key = entryWords[kind];
  return key === undefined ? wordsOf(kind) : say(key);
}
