/** The door of the ledger: what the rest of the house may use of it. */
export { type Chain, createChain, type Draft, type Outcome } from './chain.ts';
export { type CustomerRef, customerHoldings, findCustomer } from './customers.ts';
export { chainHasher, createLedger, type Ledger } from './ledger.ts';
export { createCrossings } from './low-balance.ts';
export { references } from './references.ts';
export { type Reservation, reservationOf, reserveInOrder } from './reserve-in-order.ts';
export { rewardDraft } from './reward-drafts.ts';
export {
  isAwaited,
  isFundedFrom,
  isServable,
  nextInLine,
  waitingIn,
  walletBalances,
} from './wallets.ts';
