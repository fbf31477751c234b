import type { Mode } from './mode.ts';

/** Whose funds pay for rewards: the partner's in LIVE, the integration's test funding in TEST. */
export type WalletRef =
  | { mode: 'LIVE'; partnerId: string }
  | { mode: 'TEST'; partnerId: string; integrationId: string };

/** The wallet that funds a reward or an event. */
export function walletOf(of: { mode: Mode; partnerId: string; integrationId: string }): WalletRef {
  const { mode, partnerId, integrationId } = of;
  return mode === 'LIVE' ? { mode, partnerId } : { mode, partnerId, integrationId };
}

/** The id of a wallet, unique within the partner. */
export function walletIdOf(wallet: WalletRef): string {
  return wallet.mode === 'LIVE' ? wallet.partnerId : wallet.integrationId;
}
