import type { Mode } from '../../domain/events.ts';
import type { Books } from '../ledger/books.ts';
import type { Chain } from '../ledger/chain.ts';

/** A collection of chains, and what the audit holds against it. */
export interface AuditedChain {
  name: string;
  chain: Pick<Chain<unknown>, 'model' | 'isGenuine'>;
  /** Set where it is double entry: the rewards whose money it moves, and the accounts it may have. */
  book: { mode: Mode; accounts: RegExp } | null;
}

const liveAccounts =
  /^(funding|reserved|cash|writeOff|redeemed|planReceivable|revenue|points(Issued|Redeemed|WriteOff)|(payable|points):cus_.+)$/;
const testAccounts = /^(funding|reserved|granted|writeOff|redeemed|spent):int_.+$/;

/** Every collection of chains. One that joins here is held against all that holds for chains. */
export const auditedChains = ({ ledger, testFunding, usageChain }: Books): AuditedChain[] => [
  { name: 'ledger', chain: ledger, book: { mode: 'LIVE', accounts: liveAccounts } },
  { name: 'test funding', chain: testFunding, book: { mode: 'TEST', accounts: testAccounts } },
  { name: 'usage', chain: usageChain, book: null },
];
