import { useOf } from '../../../domain/billing.ts';
import { invoice as invoicePostings } from '../../../domain/postings.ts';
import { periodOf } from '../../billing/index.ts';
import type { InvoiceDoc, InvoiceLine } from '../../schemas/billing.ts';
import type { EntryDoc } from '../../schemas/entries.ts';
import type { AuditDeps } from '../audit.ts';
import type { DocCheck } from '../sources.ts';
import { spelled } from './spelled.ts';

/** Every invoice bills what was counted when its period was closed, and is in the ledger. */
export const invoicesAreRight: DocCheck<InvoiceDoc> = {
  name: 'invoices: each bills what was counted, and is in the ledger',
  async problemsOf(deps, partnerId, invoices) {
    const problems = await Promise.all(
      invoices.map(async (doc) => {
        const problem = (await ledgerProblem(deps, doc)) ?? (await periodProblem(deps, doc));
        if (problem === undefined) return [];
        return [{ doc, text: `${doc._id} (${doc.number}), partner ${partnerId}: ${problem}` }];
      }),
    );
    return problems.flat();
  },
};

/** Every invoice in the ledger was issued. */
export const invoiceEntries: DocCheck<EntryDoc> = {
  name: 'ledger: every invoice in it was issued',
  async problemsOf({ models }, partnerId, entries) {
    const idOf = ({ reference }: EntryDoc) => /^invoice:(.*)$/.exec(reference)?.[1];
    const ids = entries.flatMap((entry) => idOf(entry) ?? []);
    const issued = new Set(await models.invoices.distinct('_id', { partnerId, _id: { $in: ids } }));
    return entries.flatMap((doc) => {
      const id = idOf(doc);
      if (id === undefined || issued.has(id)) return [];
      return [{ doc, text: `${doc._id} (${doc.reference}): invoice ${id} does not exist` }];
    });
  },
};

async function ledgerProblem(
  { ledger }: AuditDeps,
  { _id, partnerId, lines, totalCents }: InvoiceDoc,
): Promise<string | undefined> {
  const sum = lines.reduce((total, { amountCents }) => total + amountCents, 0);
  if (sum !== totalCents || sum < 0) return `its lines are ${sum}, its total is ${totalCents}`;
  const entry = await ledger.live.find(partnerId, `invoice:${_id}`);
  const found = spelled(entry?.postings ?? []);
  const expected = spelled(invoicePostings(totalCents));
  if (found === expected) return undefined;
  return `the ledger has ${found || 'nothing'} and should have ${expected || 'nothing'}`;
}

async function periodProblem(
  { usage }: AuditDeps,
  { _id, partnerId, subscriptionId, periodStart, terms, lines }: InvoiceDoc,
): Promise<string | undefined> {
  if (terms === null) return undefined;
  const close = `close:${subscriptionId}:${periodStart.toISOString()}`;
  const [closed, credit] = await Promise.all([
    usage.chain.find(partnerId, close),
    usage.chain.find(partnerId, `creditUsed:${_id}`),
  ]);
  if (!closed) return `${close} is missing`;
  const points = closed.postings.find(({ account }) => periodOf(account))?.balanceAfter ?? 0;
  const expected = {
    PLAN: terms.priceCents,
    OVERAGE: useOf(points, terms).overageCents,
    CREDIT: credit?.postings[0]?.amount ?? 0,
  };
  const billed = (kind: InvoiceLine['kind']) =>
    lines.reduce((sum, line) => (line.kind === kind ? sum + line.amountCents : sum), 0);
  for (const kind of ['PLAN', 'OVERAGE', 'CREDIT'] as const) {
    if (billed(kind) === expected[kind]) continue;
    return `${kind} is ${billed(kind)}, and should be ${expected[kind]}, for ${points} points`;
  }
  return undefined;
}
