/** The reads of the ledger. Only commits write it (models/commit.ts). */
export { type CustomerRef, customerHoldings, findCustomer, pendingPoints } from './customers.ts';
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
  isFundedFrom,
  ledgerOf,
  readWallet,
  waitingIn,
  walletBalances,
} from './wallets.ts';
