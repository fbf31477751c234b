/** The ledger's chain, and its reads. Only commits write it (models/commit.ts). */
export { chained, entryHash, isGenuine, ledgerKey } from './chain.ts';
export {
  type CustomerRef,
  customerHoldings,
  findCustomer,
  keepPoints,
  pendingPoints,
  reviewedHoldings,
} from './customers.ts';
export {
  findDueEnds,
  findPointsEnds,
  readCustomerBalance,
  readPointsEnd,
} from './points-end.ts';
export {
  everyMovement,
  type Movement,
  movementsBetween,
  movementWords,
  newestMovements,
  type StatementBounds,
  type StatementDays,
  statementBounds,
  subjectOf,
} from './statement.ts';
export {
  findEntry,
  readWallet,
  waitingAmong,
  walletBalances,
  walletFunds,
} from './wallets.ts';
