import type { WalletRef } from '../domain/postings.ts';
import { findPartner } from '../models/identity/partners.ts';
import { system } from '../operations/actor.ts';
import type { OperationDeps } from '../operations/deps.ts';
import { execute } from '../operations/execute.ts';
import type { MoveDeps } from '../operations/move-once.ts';
import { addTestFunding, topUp } from '../operations/wallets.ts';

/** Puts the first money into a wallet. The audit log names `system`, as no operator is involved. */
export async function giveFirstFunds(
  deps: MoveDeps & Pick<OperationDeps, 'now'>,
  { partnerId, mode }: WalletRef,
  amountCents: number,
): Promise<void> {
  const money = { amountCents, externalReference: 'first funds' };
  if (mode === 'LIVE') {
    const { currency } = await findPartner(deps.models, partnerId);
    await execute(deps, topUp, system('seed'), { partnerId, currency, ...money });
  } else {
    await execute(deps, addTestFunding, system('seed'), { partnerId, ...money });
  }
}
