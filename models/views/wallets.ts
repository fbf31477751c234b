import type { WalletRef } from '../../domain/wallet.ts';
import { findIntegration } from '../identity/integrations.ts';
import { findPartner } from '../identity/partners.ts';
import { waitingIn, walletBalances } from '../ledger/index.ts';
import type { LedgerDeps } from './deps.ts';

/** A wallet's balances, and the rewards that await funding from it. */
export async function readWallet({ models }: LedgerDeps, wallet: WalletRef) {
  const [balances, waiting] = await Promise.all([
    walletBalances(models, wallet),
    waitingIn(models, wallet),
  ]);
  return { ...balances, ...waiting };
}

export type Wallet = Awaited<ReturnType<typeof readWallet>>;

/** A partner and its LIVE funds, for operators. @throws ServiceError NOT_FOUND */
export async function readLiveFunds(deps: LedgerDeps, partnerId: string) {
  const partner = await findPartner(deps.models, partnerId);
  return { partner, wallet: await readWallet(deps, { mode: 'LIVE', partnerId }) };
}

export type LiveFunds = Awaited<ReturnType<typeof readLiveFunds>>;

/** An integration with its test funding, for operators. @throws ServiceError NOT_FOUND */
export async function readTestFunds(deps: LedgerDeps, integrationId: string) {
  const integration = await findIntegration(deps.models, integrationId);
  const { partnerId } = integration;
  const [partner, wallet] = await Promise.all([
    findPartner(deps.models, partnerId),
    readWallet(deps, { mode: 'TEST', partnerId, integrationId }),
  ]);
  return { integration, partner, wallet };
}

export type TestFunds = Awaited<ReturnType<typeof readTestFunds>>;
