import { liveAccounts, testAccounts } from '../../domain/accounts.ts';
import { readFunding } from './dashboard.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

const newestEntries = 15;
const maxIntegrations = 25;

/** A partner's LIVE funding with its newest transactions, and the test funding of its integrations. */
export async function readFundingOverview(deps: ViewDeps, partnerId: PartnerScope) {
  const { models, ledger } = deps;
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
      const head = await ledger.test.head(partnerId, testAccounts(_id).funding);
      return { _id, name, freeCents: head?.balanceAfter ?? null };
    }),
  );
  return { funding, entries, test };
}

export type FundingOverview = Awaited<ReturnType<typeof readFundingOverview>>;
