import type { Mode } from '../domain/mode.ts';

/** The ledgers of all wallets of a mode. */
export interface AuditedLedger {
  name: string;
  mode: Mode;
  /** The accounts that it may have. */
  accounts: RegExp;
}

const rewards =
  'funding|reserved|cash|redeemed|ended|points(Issued|Redeemed)|(payable|points|held|heldPoints|writeOff|pointsWriteOff|ended|endedPoints):cus_.+';

/** Every check of ledgers applies to each of them. */
export const auditedLedgers: readonly AuditedLedger[] = [
  {
    name: 'ledger',
    mode: 'LIVE',
    accounts: new RegExp(`^(${rewards}|planReceivable|planCash|revenue)$`),
  },
  { name: 'TEST ledger', mode: 'TEST', accounts: new RegExp(`^(${rewards})$`) },
];
