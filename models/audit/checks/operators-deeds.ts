import { liveAccounts, testAccounts } from '../../../domain/accounts.ts';
import type { Mode } from '../../../domain/events.ts';
import type { MovingAction } from '../../commands/actions.ts';
import type { DocCheck, MovingDeedDoc } from '../sources.ts';

/** What a deed has put into the books: an amount, in an account, under a reference. */
interface Trace {
  mode: Mode;
  reference: string;
  account: string;
  amount: number;
}

type TraceOf = (targetId: string, details: Record<string, unknown>) => Trace;

/** Worked out here anew, and not by the code that moved it. */
const traces: Record<MovingAction, TraceOf> = {
  'partner.top-up': (_partnerId, { reference, amountCents }) => ({
    mode: 'LIVE',
    reference: `topUp:${reference}`,
    account: liveAccounts.funding,
    amount: Number(amountCents),
  }),
  'integration.test-funding': (integrationId, { reference, amountCents }) => ({
    mode: 'TEST',
    reference: `topUp:${integrationId}:${reference}`,
    account: testAccounts(integrationId).funding,
    amount: Number(amountCents),
  }),
  'customer.redeem': (customerId, { reference, points }) => ({
    mode: 'LIVE',
    reference: `redeem:${reference}`,
    account: liveAccounts.points.customer(customerId),
    amount: 0 - Number(points),
  }),
};

/** What operators say to have moved stands in the books. */
export const operatorsDeeds: DocCheck<MovingDeedDoc> = {
  name: 'operators: what they moved is there',
  async problemsOf({ ledger }, partnerId, deeds) {
    const problems = await Promise.all(
      deeds.map(async (doc) => {
        const traceOf = traces[doc.action];
        const { mode, reference, account, amount } = traceOf(doc.targetId, doc.details);
        const entry = await ledger.of(mode).find(partnerId, reference);
        const moved = entry?.postings.find((posting) => posting.account === account)?.amount;
        if (moved === amount) return [];
        const found = entry ? `${entry._id} has ${moved} instead of ${amount}` : 'it is missing';
        return [{ doc, text: `${reference}, partner ${partnerId}, deed ${doc._id}: ${found}` }];
      }),
    );
    return problems.flat();
  },
};
