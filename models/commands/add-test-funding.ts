import { ServiceError } from '../../domain/errors.ts';
import type { WalletRef } from '../../domain/events.ts';
import { type Ledger, walletBalances } from '../ledger/index.ts';
import { type Deposit, deposit } from './deposit.ts';

/** 10,000,000.00: what an integration may have in free TEST funding by its partner's own hand. */
export const maxTestFundingCents = 1_000_000_000;

/**
 * Adds TEST funding to an integration, once per reference (specification, Setup sequence 5). It is
 * nobody's money, so that the partner does it alone, up to a limit.
 * @throws ServiceError CONFLICT beyond the limit, or when the reference stands for another amount
 */
export async function addTestFunding(
  deps: { ledger: Ledger; now: () => number },
  wallet: WalletRef & { mode: 'TEST' },
  money: Deposit,
): Promise<void> {
  const { fundingCents } = await walletBalances(deps.ledger, wallet);
  if (fundingCents + money.amountCents > maxTestFundingCents) {
    throw new ServiceError(
      'CONFLICT',
      `An integration has at most ${(maxTestFundingCents / 100).toLocaleString('en-US')} of free TEST funding.`,
    );
  }
  await deposit(deps, wallet, money);
}
