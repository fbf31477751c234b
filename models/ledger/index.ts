/** The reads of the ledger. Only commits write it (models/commit.ts). */
export { type CustomerRef, customerHoldings, findCustomer, pendingPoints } from './customers.ts';
export {
  findEntry,
  isFundedFrom,
  ledgerOf,
  readWallet,
  waitingIn,
  walletBalances,
} from './wallets.ts';
