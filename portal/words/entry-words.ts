import { say } from './say.ts';
/** What the kinds of entries in the books are to whoever pays for them. */
export const entryWords = (): Readonly<Record<string, string>> => ({
  TOP_UP: say('entry.topUp'),
  RESERVE: say('entry.reserve'),
  RELEASE: say('entry.release'),
  VOID: say('entry.void'),
  CLAIM: say('entry.claim'),
  CLAWBACK: say('entry.clawback'),
  WRITE_OFF: say('entry.writeOff'),
});
