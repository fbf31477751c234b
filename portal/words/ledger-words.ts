import { wordsOf } from '../html/components.ts';

/** What each kind of transaction is, for who does not keep books. */
const kindWords: Record<string, string> = {
  TOP_UP: 'Money came in',
  RESERVE: 'Money was reserved for the reward',
  RELEASE: 'What was reserved went back to the funding',
  VOID: 'The reward ended before anything was reserved for it',
  CLAIM: 'The money became the customer’s',
  CLAWBACK: 'Money and points were taken back',
  WRITE_OFF: 'Taken back as far as it was there; the rest is written off',
  REDEEM: 'The customer spent points',
  INVOICE: 'A plan was billed',
};

const accountWords: Record<string, string> = {
  funding: 'Funding',
  reserved: 'Reserved',
  cash: 'Cash',
  granted: 'Granted for tests',
  writeOff: 'Written off',
  redeemed: 'Redeemed',
  payable: 'Owed to the customer',
  spent: 'Spent in tests',
  points: 'The customer’s points',
  pointsIssued: 'Points issued',
  pointsRedeemed: 'Points redeemed',
  pointsWriteOff: 'Points written off',
  planReceivable: 'Owed for plans',
  revenue: 'Revenue',
  credit: 'Credit',
};

export const wordsOfKind = (kind: string): string => kindWords[kind] ?? wordsOf(kind);

/** An account by what it holds; whose it is stands after the colon. */
export function wordsOfAccount(account: string): string {
  const [name = ''] = account.split(':', 1);
  return accountWords[name] ?? account;
}
