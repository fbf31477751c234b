import { hkdfSync } from 'node:crypto';
import { type Mode, type WalletRef, walletIdOf } from '../../domain/events.ts';
import { balance, bookOf, invoice, planReceivable, revenue } from '../../domain/postings.ts';
import { newId } from '../../platform/ids.ts';
import { createUsage, createUsageChain } from '../billing/usage.ts';
import type { Models } from '../schemas/index.ts';
import { type Chain, createChain } from './chain.ts';

/** The wallets of a partner for which rewards wait: no later reward is funded before them. */
export type WaitingWallets = Set<string>;

export type Books = ReturnType<typeof createBooks>;

/**
 * The ledger, where LIVE money stands; beside it the test funding, which is nobody's money, and the
 * usage that plans are billed by.
 * @param customerHashKey also keys the ledger's hashes, by a key derived from it
 */
export function createBooks(models: Models, customerHashKey: Buffer) {
  const hashKey = Buffer.from(hkdfSync('sha256', customerHashKey, '', 'ledger hash chain', 32));
  const waitingWallets = async (partnerId: string): Promise<WaitingWallets> =>
    new Set(await models.rewards.distinct('walletId', { partnerId, status: 'AWAITING_FUNDING' }));
  const common = {
    hashKey,
    newId: () => newId('transaction'),
    prepare: balance,
    readContext: waitingWallets,
  };
  const ledger: Chain<WaitingWallets> = createChain(models.ledger, common);
  const testFunding: Chain<WaitingWallets> = createChain(models.testFunding, common);
  const chainOf = (mode: Mode) => (mode === 'LIVE' ? ledger : testFunding);

  const usageChain = createUsageChain(models, { hashKey, newId: () => newId('usageEntry') });

  return {
    ledger,
    testFunding,
    usageChain,
    usage: createUsage({ models, chain: usageChain }),
    chainOf,

    /** Whether rewards of this wallet are funded out of it: LIVE always, TEST once it has test funding. */
    async isFundedFrom({ partnerId, mode, integrationId }: WalletRef): Promise<boolean> {
      if (mode === 'LIVE') return true;
      const { funding } = bookOf(mode, integrationId);
      return (await testFunding.head(partnerId, funding)) !== undefined;
    },

    /**
     * What a wallet holds, in cents. What is owed to customers is no account of its own: since all
     * accounts sum to zero, it is what the others leave.
     */
    async walletBalances({ partnerId, mode, integrationId }: WalletRef) {
      const { funding, reserved, cash, redeemed, writeOff } = bookOf(mode, integrationId);
      const chain = chainOf(mode);
      const heads = await Promise.all(
        [funding, reserved, cash, redeemed, writeOff].map((account) =>
          chain.balanceOf(partnerId, account),
        ),
      );
      const [fundingCents = 0, reservedCents = 0] = heads;
      const owedCents = heads.reduce((sum, cents) => sum - cents, 0);
      return { fundingCents, reservedCents, owedCents: owedCents === 0 ? 0 : owedCents };
    },

    /** Writes an invoice into the ledger, once; one over nothing moves nothing. */
    async postInvoice(
      partnerId: string,
      invoiceId: string,
      totalCents: number,
      at: Date,
    ): Promise<void> {
      await ledger.append<never>({
        partnerId,
        references: [`invoice:${invoiceId}`],
        rewardId: null,
        at,
        accounts: [planReceivable, revenue],
        post: () => ({ kind: 'INVOICE', postings: invoice(totalCents) }),
      });
    },

    /** Whether any reward of the wallet waits for funding. */
    async isAwaited(wallet: WalletRef): Promise<boolean> {
      const { partnerId } = wallet;
      const filter = {
        partnerId,
        walletId: walletIdOf(wallet),
        status: 'AWAITING_FUNDING' as const,
      };
      return (await models.rewards.exists(filter)) !== null;
    },
  };
}
