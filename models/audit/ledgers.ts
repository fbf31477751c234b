import type { Mode } from '../../domain/mode.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import type { ModelOf, Models } from '../schemas/index.ts';

/** The ledgers of all wallets of a mode. */
export interface AuditedLedger {
  name: string;
  mode: Mode;
  model: ModelOf<EntryDoc>;
  /** The accounts that it may have. */
  accounts: RegExp;
}

const liveAccounts =
  /^(funding|reserved|cash|redeemed|planReceivable|planCash|revenue|points(Issued|Redeemed)|(payable|points|held|heldPoints|writeOff|pointsWriteOff):cus_.+)$/;
const testAccounts = /^(funding|reserved|granted|writeOff|redeemed|spent)$/;

/** Every check of ledgers applies to each of them. */
export const auditedLedgers = ({ ledger, testFunding }: Models): AuditedLedger[] => [
  { name: 'ledger', mode: 'LIVE', model: ledger, accounts: liveAccounts },
  { name: 'test funding', mode: 'TEST', model: testFunding, accounts: testAccounts },
];

/** The ids of a partner's wallets that have an entry: one index key of each. */
export async function* walletsIn(
  { model }: Pick<AuditedLedger, 'model'>,
  partnerId: string,
): AsyncGenerator<string> {
  for (let last = ''; ; ) {
    const next = await model
      .findOne({ partnerId, walletId: { $gt: last } }, { walletId: 1 })
      .sort({ walletId: 1 });
    if (next === null) return;
    yield next.walletId;
    last = next.walletId;
  }
}
