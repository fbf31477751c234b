/** The public interface of the ledger. */
export { type AppendOutcome, type Chain, createChain, type Draft } from './chain.ts';
export { usualChainCache } from './chain-cache.ts';
export { type CustomerRef, customerHoldings, findCustomer } from './customers.ts';
export { chainHasher, createLedger, type Ledger } from './ledger.ts';
export { type Crossing, createCrossings } from './low-balance.ts';
export { references, voidKind } from './references.ts';
export {
  type Reservation,
  reservationOf,
  reserveInOrder,
  voidReservation,
} from './reserve-in-order.ts';
export { rewardDraft } from './reward-drafts.ts';
export {
  isAwaited,
  isFundedFrom,
  isServable,
  nextInQueue,
  waitingIn,
  walletBalances,
} from './wallets.ts';
