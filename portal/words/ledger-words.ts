import { wordsOf } from '../html/components.ts';
import { type PlainKey, say } from './say.ts';

/** Explanations of kinds of transactions for non-accountants. */
const kindWords: Readonly<Record<string, PlainKey>> = {
  TOP_UP: 'ledger.kind.topUp',
  RESERVE: 'ledger.kind.reserve',
  RELEASE: 'ledger.kind.release',
  VOID: 'ledger.kind.void',
  CLAIM: 'ledger.kind.claim',
  CLAWBACK: 'ledger.kind.clawback',
  WRITE_OFF: 'ledger.kind.writeOff',
  REDEEM: 'ledger.kind.redeem',
  INVOICE: 'ledger.kind.invoice',
};

const accountWords: Readonly<Record<string, PlainKey>> = {
  funding: 'ledger.funding',
  reserved: 'ledger.reserved',
  cash: 'ledger.cash',
  granted: 'ledger.grantedForTests',
  writeOff: 'ledger.writtenOff',
  redeemed: 'ledger.redeemed',
  payable: 'ledger.account.text',
  spent: 'ledger.spentInTests',
  points: 'ledger.theCustomersPoints',
  pointsIssued: 'ledger.pointsIssued',
  pointsRedeemed: 'ledger.pointsRedeemed',
  pointsWriteOff: 'ledger.pointsWrittenOff',
  planReceivable: 'ledger.owedForPlans',
  revenue: 'ledger.revenue',
  credit: 'ledger.credit',
};

export function wordsOfKind(kind: string): string {
  const key = kindWords[kind];
  return key === undefined ? wordsOf(kind) : say(key);
}

/** The name of an account, without the owner's id, which follows the colon. */
export function wordsOfAccount(account: string): string {
  const [name = ''] = account.split(':', 1);
  const key = accountWords[name];
  return key === undefined ? account : say(key);
}
