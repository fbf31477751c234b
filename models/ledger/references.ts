import type { Effect } from '../../domain/reward-states.ts';
import type { WalletRef } from '../../domain/wallet.ts';

/** What moves the money of one reward: at most one entry of each. */
export type RewardEntryKind = 'RESERVE' | Effect;

/** What stands in the place of a reservation that is never to be made. */
export const voidKind = 'VOID';

const rewardEntryKinds: readonly RewardEntryKind[] = ['RESERVE', 'RELEASE', 'CLAIM', 'CLAWBACK'];

/**
 * What an entry is for, in words that its unique index refuses to have twice: a repeat finds the
 * first. Every reference of the ledger, the test funding and the usage is made here.
 */
export const references = {
  /** Test funding of all a partner's integrations is in one collection; each has references of its own. */
  topUp: (wallet: WalletRef, externalReference: string) =>
    wallet.mode === 'LIVE'
      ? `topUp:${externalReference}`
      : `topUp:${wallet.integrationId}:${externalReference}`,
  redemption: (reference: string) => `redeem:${reference}`,
  invoice: (invoiceId: string) => `invoice:${invoiceId}`,
  reward: (kind: RewardEntryKind, rewardId: string) => `${kind.toLowerCase()}:${rewardId}`,
  /** All that a reward's entries may stand under. */
  ofReward: (rewardId: string) => rewardEntryKinds.map((kind) => references.reward(kind, rewardId)),
  usage: (rewardId: string) => `usage:${rewardId}`,
  usageGivenBack: (rewardId: string) => `giveBack:${rewardId}`,
  /** @param start ISO 8601 */
  periodClosed: (subscriptionId: string, start: string) => `close:${subscriptionId}:${start}`,
  creditUsed: (invoiceId: string) => `creditUsed:${invoiceId}`,
};
