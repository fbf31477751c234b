import type { WalletRef } from '../domain/events.ts';
import { carryOut, system } from '../models/commands/deeds.ts';
import { deposit, depositDeed } from '../models/commands/deposit.ts';
import type { CommandDeps } from '../models/commands/deps.ts';
import type { Ledger } from '../models/ledger/index.ts';

/** Puts the first money into a wallet. No operator does it, so that the trail says `system`. */
export async function giveFirstFunds(
  deps: Pick<CommandDeps, 'models' | 'now'> & { ledger: Ledger },
  wallet: WalletRef,
  amountCents: number,
): Promise<void> {
  const money = { amountCents, externalReference: 'first funds' };
  await carryOut(deps, system('seed'), depositDeed(wallet, money), () =>
    deposit(deps, wallet, money),
  );
}
