import type { WalletRef } from '../domain/postings.ts';
import { findPartner } from '../models/identity/partners.ts';
import type { Ledger } from '../models/ledger/index.ts';
import { system } from '../operations/actor.ts';
import type { AuditDeps } from '../operations/deps.ts';
import { execute } from '../operations/execute.ts';
import { addTestFunding, topUp } from '../operations/wallets.ts';

/** Puts the first money into a wallet. The audit log names `system`, as no operator is involved. */
export async function giveFirstFunds(
  { models, now, ledger }: AuditDeps & { ledger: Ledger },
  wallet: WalletRef,
  amountCents: number,
): Promise<void> {
  // No reward is waiting for funds yet.
  const deps = { models, now, ledger, messenger: { wakeWallet: async () => undefined } };
  const money = { amountCents, externalReference: 'first funds' };
  if (wallet.mode === 'LIVE') {
    const { partnerId } = wallet;
    const { currency } = await findPartner(models, partnerId);
    await execute(deps, topUp, system('seed'), { partnerId, currency, ...money });
  } else {
    const { integrationId } = wallet;
    await execute(deps, addTestFunding, system('seed'), { integrationId, ...money });
  }
}
