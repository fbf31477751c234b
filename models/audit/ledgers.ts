import type { Mode } from '../../domain/mode.ts';

/** The ledgers of all wallets of a mode. */
export interface AuditedLedger {
  name: string;
  mode: Mode;
  /** The accounts that it may have. */
  accounts: RegExp;
}

const rewards =
  'funding|reserved|cash|writeOff|redeemed|points(Issued|Redeemed|WriteOff)|(payable|points|held|heldPoints):cus_.+';

/** Every check of ledgers applies to each of them. */
export const auditedLedgers: readonly AuditedLedger[] = [
  {
    name: 'ledger',
    mode: 'LIVE',
    accounts: new RegExp(`^(${rewards}|planReceivable|planCash|revenue)$`),
  },
  { name: 'TEST ledger', mode: 'TEST', accounts: new RegExp(`^(${rewards})$`) },
];
