import type { Wallet } from './draft.ts';
import type { Due } from './due.ts';
import type { Mode } from './mode.ts';
import type { Redemption } from './redemption.ts';
import type { Reward } from './reward.ts';

/** A purchase whose workflow has to be started. */
export interface DueEvent {
  _id: string;
  partnerId: string;
  mode: Mode;
  externalOrderId: string;
  rewardId: string;
  workflowId: string;
  /** The span of the request, if one was recorded; the workflow continues its trace. */
  traceparent?: string | undefined;
  due: Due<'START'> | null;
}

/** A document that something is due about, by its collection. */
export type DueDocument =
  /** The purchase's workflow has to be started. */
  | { of: 'orderEvents'; document: DueEvent }
  /** The reward's workflow has to look at it. */
  | { of: 'rewards'; document: Reward }
  /** The hold's workflow has to be started, or the customer told. */
  | { of: 'redemptions'; document: Redemption }
  /** The next rewards in the wallet's queue can be funded. */
  | { of: 'wallets'; document: Wallet };
