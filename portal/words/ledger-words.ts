import { wordsOf } from '../html/components.ts';
import { say } from './say.ts';

/** What each kind of transaction is, for who does not keep books. */
const kindWords = (): Record<string, string> => ({
  TOP_UP: say('ledger.kind.topUp'),
  RESERVE: say('ledger.kind.reserve'),
  RELEASE: say('ledger.kind.release'),
  VOID: say('ledger.kind.void'),
  CLAIM: say('ledger.kind.claim'),
  CLAWBACK: say('ledger.kind.clawback'),
  WRITE_OFF: say('ledger.kind.writeOff'),
  REDEEM: say('ledger.kind.redeem'),
  INVOICE: say('ledger.kind.invoice'),
});

const accountWords = (): Record<string, string> => ({
  funding: say('ledger.funding'),
  reserved: say('ledger.reserved'),
  cash: say('ledger.cash'),
  granted: say('ledger.grantedForTests'),
  writeOff: say('ledger.writtenOff'),
  redeemed: say('ledger.redeemed'),
  payable: say('ledger.account.text'),
  spent: say('ledger.spentInTests'),
  points: say('ledger.theCustomersPoints'),
  pointsIssued: say('ledger.pointsIssued'),
  pointsRedeemed: say('ledger.pointsRedeemed'),
  pointsWriteOff: say('ledger.pointsWrittenOff'),
  planReceivable: say('ledger.owedForPlans'),
  revenue: say('ledger.revenue'),
  credit: say('ledger.credit'),
});

export const wordsOfKind = (kind: string): string => kindWords()[kind] ?? wordsOf(kind);

/** An account by what it holds; whose it is stands after the colon. */
export function wordsOfAccount(account: string): string {
  const [name = ''] = account.split(':', 1);
  return accountWords()[name] ?? account;
}
