import { type WalletRef, walletIdOf } from './events.ts';

/** How a wallet's workflow is reached, by name, from wherever money moves. */
export const walletWorkflow = { type: 'wallet', fundsChanged: 'fundsChanged' } as const;
export const purchaseWorkflow = { type: 'purchase', rewardFunded: 'rewardFunded' } as const;

/** One workflow per wallet: the partner's in LIVE, the integration's in TEST. */
export function walletWorkflowId(wallet: WalletRef): string {
  return `wallet/${wallet.mode}/${walletIdOf(wallet)}`;
}
