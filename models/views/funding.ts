import { liveAccounts, testAccounts } from '../../domain/accounts.ts';
import { readWallet } from '../ledger/index.ts';
import { readFunding } from './dashboard.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

const newestEntries = 15;
const maxIntegrations = 25;

/** A partner's LIVE funding with its newest transactions, and the test funding of its integrations. */
export async function readFundingOverview(deps: ViewDeps, partnerId: PartnerScope) {
  const { models } = deps;
  const [funding, entries, integrations] = await Promise.all([
    readFunding(deps, partnerId),
    models.ledger
      .find({ partnerId, 'postings.account': liveAccounts.funding })
      .sort({ _id: -1 })
      .limit(newestEntries)
      // Nearly every entry has a funding posting, so this index finds the newest ones quickly and in order.
      .hint({ partnerId: 1, _id: -1 }),
    models.integrations.find({ partnerId }).sort({ _id: -1 }).limit(maxIntegrations),
  ]);
  const test = await Promise.all(
    integrations.map(async ({ _id, name }) => {
      const wallet = await readWallet(models, { mode: 'TEST', partnerId, integrationId: _id });
      return { _id, name, freeCents: wallet ? (wallet.balances[testAccounts.funding] ?? 0) : null };
    }),
  );
  return { funding, entries, test };
}

export type FundingOverview = Awaited<ReturnType<typeof readFundingOverview>>;
