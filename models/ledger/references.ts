import type { WalletRef } from '../../domain/postings.ts';
import type { Effect } from '../../domain/reward.ts';

/** The kinds of entries that move a reward's money: at most one of each. */
export type RewardEntryKind = 'RESERVE' | Effect;

/** The kind of an entry that takes the place of a reservation, so that it can never be made. */
export const voidKind = 'VOID';

const rewardEntryKinds: readonly RewardEntryKind[] = ['RESERVE', 'RELEASE', 'CLAIM', 'CLAWBACK'];

/**
 * The references that identify what entries are for. They are unique, so that a repeat finds the
 * first entry. All references of ledger, test funding and usage are made here.
 */
export const references = {
  /**
   * The test funding of all integrations of a partner is in one collection, hence the integration's
   * id.
   */
  topUp: (wallet: WalletRef, externalReference: string) =>
    wallet.mode === 'LIVE'
      ? `topUp:${externalReference}`
      : `topUp:${wallet.integrationId}:${externalReference}`,
  redemption: (reference: string) => `redeem:${reference}`,
  invoice: (invoiceId: string) => `invoice:${invoiceId}`,
  reward: (kind: RewardEntryKind, rewardId: string) => `${kind.toLowerCase()}:${rewardId}`,
  /** All references that a reward's entries can have. */
  ofReward: (rewardId: string) => rewardEntryKinds.map((kind) => references.reward(kind, rewardId)),
  usage: (rewardId: string) => `usage:${rewardId}`,
  usageGivenBack: (rewardId: string) => `giveBack:${rewardId}`,
  /** @param start ISO 8601 */
  periodClosed: (subscriptionId: string, start: string) => `close:${subscriptionId}:${start}`,
  creditUsed: (invoiceId: string) => `creditUsed:${invoiceId}`,
};
