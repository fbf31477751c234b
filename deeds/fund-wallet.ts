import type { WalletRef } from '../domain/events.ts';
import { type Deposit, deposit } from '../models/commands/deposit.ts';
import type { DeedsDeps } from './deps.ts';

export type Deposited = Awaited<ReturnType<typeof deposit>>;

/**
 * Puts money into a wallet, and tells its workflow, which funds what waits. A repeat tells it too: the
 * process of the first may have ended before that.
 * @throws ServiceError CONFLICT when the reference stands for another amount
 */
export async function fundWallet(
  deps: Pick<DeedsDeps, 'ledger' | 'now' | 'messenger'>,
  wallet: WalletRef,
  money: Deposit,
): Promise<Deposited> {
  const deposited = await deposit(deps, wallet, money);
  await deps.messenger.wakeWallet(wallet);
  return deposited;
}
