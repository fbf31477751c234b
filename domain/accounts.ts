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

/** An integration's test funding: a separate balance, which is not real money. */
export function testAccounts(integrationId: string): Accounts {
  const of = (name: string) => `${name}:${integrationId}`;
  return {
    funding: of('funding'),
    reserved: of('reserved'),
    cash: of('granted'),
    writeOff: of('writeOff'),
    redeemed: of('redeemed'),
    payable: () => of('spent'),
    points: null,
  };
}

export function accountsOf(wallet: WalletRef): Accounts {
  return wallet.mode === 'LIVE' ? liveAccounts : testAccounts(wallet.integrationId);
}

/** Our own accounts, for what partners pay for their plans. */
export const planReceivable = 'planReceivable';
export const revenue = 'revenue';

/** Whether the account holds somebody's money or points: such a balance never goes below zero. */
export function mustNotGoNegative(account: string): boolean {
  return /^(funding|reserved|payable|points|spent|credit)(:|$)/.test(account);
}
