import { wordsOf } from '../components/components.ts';

/** Explanations of kinds of transactions for non-accountants. */
const kindWords: Readonly<Record<string, string>> = {
  TOP_UP: 'Top-up',
  WITHDRAWAL: 'Withdrawal: unused funding was paid back',
  CORRECTION: 'Correction of a top-up',
  RESERVE: 'Reserved for the reward',
  RELEASE: 'Reserved amount returned to the funding',
  VOID: 'The reward ended before anything was reserved for it',
  CLAIM: 'Claimed: now owed to the customer',
  CLAWBACK: 'Money and points were taken back',
  WRITE_OFF: 'Taken back as far as available; the rest was written off',
  SETTLE: 'Settled: what was written off came back to the funding',
  POINTS_END: 'Points ended: their money went back to the funding',
  HOLD: 'Held at the checkout',
  UNHOLD: 'No longer held: owed to the customer again',
  REDEEM: 'The customer spent points',
  REVERSE: 'Spent points came back to the customer',
  INVOICE: 'Invoice issued',
  PAYMENT: 'Payment of an invoice',
  PAYMENT_REVERSAL: 'Reversal: a payment did not arrive',
  CREDIT_NOTE: 'Credit note: an invoice was voided',
};

const accountWords: Readonly<Record<string, string>> = {
  funding: 'Funding',
  reserved: 'Reserved',
  cash: 'Cash',
  granted: 'Granted for tests',
  writeOff: 'Written off',
  redeemed: 'Redeemed',
  payable: 'Owed to the customer',
  spent: 'Spent in tests',
  held: 'Held at the checkout',
  points: 'The customer’s points',
  heldPoints: 'Points held at the checkout',
  ended: 'Ended, until a refund means it',
  endedPoints: 'Points ended, until a refund means them',
  pointsIssued: 'Points issued',
  pointsRedeemed: 'Points redeemed',
  pointsWriteOff: 'Points written off',
  planReceivable: 'Owed for plans',
  planCash: 'Paid for plans',
  revenue: 'Revenue',
  credit: 'Credit',
};

export function wordsOfKind(kind: string): string {
  const key = kindWords[kind];
  return key === undefined ? wordsOf(kind) : key;
}

/** The name of an account, without the owner's id, which follows the colon. */
export function wordsOfAccount(account: string): string {
  const [name = ''] = account.split(':', 1);
  const key = accountWords[name];
  return key === undefined ? account : key;
}

/** Says that a reference had moved its money before. */
export const alreadyBooked = ({ _id }: { _id: string }): string =>
  `This reference was already used for ${_id}: nothing was booked.`;
