import type { Mode } from '../../domain/mode.ts';
import type { Chain } from '../ledger/index.ts';

/** A collection of chains, and what the audit compares it with. */
export interface AuditedChain {
  name: string;
  chain: Pick<Chain, 'model' | 'isGenuine'>;
  /** Set for double-entry chains: the mode of their rewards, and the accounts they may have. */
  doubleEntry: { mode: Mode; accounts: RegExp } | null;
}

const liveAccounts =
  /^(funding|reserved|cash|writeOff|redeemed|planReceivable|revenue|points(Issued|Redeemed|WriteOff)|(payable|points):cus_.+)$/;
const testAccounts = /^(funding|reserved|granted|writeOff|redeemed|spent):int_.+$/;

/** All collections of chains. Every check of chains applies to each of them. */
export const auditedChains = ({ ledger, usage }: {}): AuditedChain[] => [
  { name: 'ledger', chain: ledger.live, doubleEntry: { mode: 'LIVE', accounts: liveAccounts } },
  {
    name: 'test funding',
    chain: ledger.test,
    doubleEntry: { mode: 'TEST', accounts: testAccounts },
  },
  { name: 'usage', chain: usage.chain, doubleEntry: null },
];
