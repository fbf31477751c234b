/** What the kinds of entries in the books are to whoever pays for them. */
export const entryWords: Readonly<Record<string, string>> = {
  TOP_UP: 'Top-up',
  RESERVE: 'Reserved for a reward',
  RELEASE: 'Given back',
  VOID: 'Not reserved',
  CLAIM: 'Owed to the customer',
  CLAWBACK: 'Taken back',
  WRITE_OFF: 'Taken back in part',
};
