import type { WalletRef } from './wallet.ts';

/**
 * The accounts that a reward's money passes through (docs/domain.md, Accounting), all of one
 * partner. A positive balance is owed to the account's holder. `cash`, which is what we hold, and
 * `planReceivable`, which is what we are owed, run negative.
 */
export interface Accounts {
  funding: string;
  reserved: string;
  cash: string;
  writeOff: string;
  redeemed: string;
  payable(customerId: string): string;
  /** Absent in TEST: no customer's balance is ever touched. */
  points: {
    customer(customerId: string): string;
    issued: string;
    redeemed: string;
    writeOff: string;
  } | null;
}

export const liveAccounts = {
  funding: 'funding',
  reserved: 'reserved',
  cash: 'cash',
  writeOff: 'writeOff',
  redeemed: 'redeemed',
  payable: (customerId: string) => `payable:${customerId}`,
  points: {
    customer: (customerId: string) => `points:${customerId}`,
    issued: 'pointsIssued',
    redeemed: 'pointsRedeemed',
    writeOff: 'pointsWriteOff',
  },
} satisfies Accounts;

/** The accounts of an integration's test funding, which is not real money. */
export const testAccounts = {
  funding: 'funding',
  reserved: 'reserved',
  cash: 'granted',
  writeOff: 'writeOff',
  redeemed: 'redeemed',
  payable: () => 'spent',
  points: null,
} satisfies Accounts;

export const accountsOf = ({ mode }: Pick<WalletRef, 'mode'>): Accounts =>
  mode === 'LIVE' ? liveAccounts : testAccounts;

/** Our own accounts, for what partners pay for their plans. */
export const planReceivable = 'planReceivable';
export const revenue = 'revenue';

/** Whether the account holds somebody's money or points: such a balance never goes below zero. */
export function mustNotGoNegative(account: string): boolean {
  return /^(funding|reserved|payable|points|spent|credit)(:|$)/.test(account);
}
