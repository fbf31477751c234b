import { useOf } from '../../domain/billing.ts';
import type { InvoiceLine } from '../../domain/invoice.ts';
import { invoicePostings, planReceivable } from '../../domain/postings.ts';
import { usagePeriodId } from '../../domain/usage-periods.ts';
import { findEntry } from '../../models/ledger/index.ts';
import type { InvoiceDoc } from '../../models/schemas/billing.ts';
import type { EntryDoc } from '../../models/schemas/entries.ts';
import { atOneMoment } from '../at-one-moment.ts';
import type { AuditDeps, Check } from '../audit.ts';
import type { DocCheck } from '../sources.ts';
import { spelled } from './spelled.ts';

/** Every invoice bills what was counted when its period was closed, and is in the ledger. */
export const invoicesAreRight: DocCheck<InvoiceDoc> = {
  name: 'invoices: each bills what was counted, and is in the ledger',
  async problemsOf(deps, partnerId, invoices) {
    const problems = await Promise.all(
      invoices.map(async (doc) => {
        const problem =
          (await ledgerProblem(deps, doc)) ??
          (await paymentProblem(deps, doc)) ??
          (await periodProblem(deps, doc));
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
  { models }: AuditDeps,
  { _id, partnerId, lines, totalCents }: InvoiceDoc,
): Promise<string | undefined> {
  const sum = lines.reduce((total, { amountCents }) => total + amountCents, 0);
  if (sum !== totalCents || sum < 0) return `its lines are ${sum}, its total is ${totalCents}`;
  const entry = await findEntry(models, { mode: 'LIVE', partnerId }, `invoice:${_id}`);
  const found = spelled(entry?.postings ?? []);
  const expected = spelled(invoicePostings(totalCents));
  if (found === expected) return undefined;
  return `the ledger has ${found || 'nothing'} and should have ${expected || 'nothing'}`;
}

/** What was paid and taken back is what the ledger has, and no more than the invoice. */
async function paymentProblem(
  { models }: AuditDeps,
  { _id, partnerId, totalCents, status, payments, reversals, paidCents, creditNote }: InvoiceDoc,
): Promise<string | undefined> {
  const sumOf = (some: readonly { amountCents: number }[]) =>
    some.reduce((total, { amountCents }) => total + amountCents, 0);
  const sum = sumOf(payments) - sumOf(reversals);
  if (sum !== paidCents) return `its payments are ${sum}, what is paid is ${paidCents}`;
  if ((status === 'VOID') !== (creditNote !== null))
    return `it is ${status}, by ${creditNote?.number}`;
  const taken = status === 'VOID' ? totalCents : 0;
  if (paidCents + taken > totalCents) return `${paidCents} was paid and ${taken} taken back`;
  const wallet = { mode: 'LIVE', partnerId } as const;
  const note = await findEntry(models, wallet, `creditNote:${_id}`);
  const receivedIn = (entry: Pick<EntryDoc, 'postings'> | null) =>
    entry?.postings.find(({ account }) => account === planReceivable)?.amount ?? 0;
  if (receivedIn(note) !== taken) {
    return `the ledger takes ${receivedIn(note)} back, and should take ${taken}`;
  }
  const entriesUnder = (word: string) =>
    models.ledger.find({
      partnerId,
      mode: 'LIVE',
      reference: { $gte: `${word}:${_id}:`, $lt: `${word}:${_id};` },
    });
  const [paid, reversed] = await Promise.all([entriesUnder('payment'), entriesUnder('reversal')]);
  const entryOf = new Map(paid.map((entry) => [entry.reference, entry._id]));
  const lined = (word: string, reference: string, cents: number, reverses: string | undefined) =>
    [`${word}:${_id}:${reference} ${cents}`, ...(reverses === undefined ? [] : [reverses])].join(
      ' ',
    );
  const written = [...paid, ...reversed].map(({ reference, reverses, ...entry }) => {
    const [word = '', , ...rest] = reference.split(':');
    return lined(word, rest.join(':'), receivedIn(entry), reverses);
  });
  const expected = [
    ...payments.map((one) => lined('payment', one.reference, one.amountCents, undefined)),
    ...reversals.map(({ reference, amountCents }) =>
      lined('reversal', reference, 0 - amountCents, entryOf.get(`payment:${_id}:${reference}`)),
    ),
  ];
  if (written.toSorted().join() === expected.toSorted().join()) return undefined;
  return `the ledger has the payments ${written.join(', ')}, and should have ${expected.join(', ')}`;
}

/** What a period's points cost may only have become less since: then the rest is a credit. */
async function periodProblem(
  { models }: AuditDeps,
  { partnerId, subscriptionId, periodStart, terms, lines }: InvoiceDoc,
): Promise<string | undefined> {
  if (terms === null) return undefined;
  const _id = usagePeriodId(subscriptionId, periodStart.toISOString());
  const period = await models.usagePeriods.findOne({ partnerId, _id });
  if (period?.billedOn === undefined || period.billedOn === null) return `${_id} is not billed`;
  const plan = billed(lines, 'PLAN');
  if (plan !== terms.priceCents) return `PLAN is ${plan}, and should be ${terms.priceCents}`;
  const [overage, owed] = [billed(lines, 'OVERAGE'), useOf(period.points, terms).overageCents];
  if (overage >= owed) return undefined;
  return `OVERAGE is ${overage}, and should be ${owed}, for ${period.points} points`;
}

const billed = (lines: readonly InvoiceLine[], kind: InvoiceLine['kind']): number =>
  lines.reduce((sum, line) => (line.kind === kind ? sum + line.amountCents : sum), 0);

const credits = 'invoices: every credit was saved, and is used once';

/** What subscriptions saved after billing is what they still have or have used. */
export const creditsAreRight: Check = {
  name: credits,
  async run({ models, partners, pace }, report) {
    report.looked(credits, 0);
    for await (const partnerId of partners()) {
      await atOneMoment(models, async (moment) => {
        const read = { partnerId };
        const subscriptions = await models.subscriptions.collection.find(read, moment).toArray();
        const invoices = await models.invoices.collection.find(read, moment).toArray();
        const periods = await models.usagePeriods.collection.find(read, moment).toArray();
        const pointsOf = new Map(periods.map(({ _id, points }) => [_id, points]));
        for (const { _id, creditCents } of subscriptions) {
          let expected = 0;
          for (const { subscriptionId, terms, lines, periodStart, status } of invoices) {
            // What a void invoice used was given back, and its period saves nothing.
            if (subscriptionId !== _id || status === 'VOID') continue;
            expected += billed(lines, 'CREDIT');
            if (terms === null) continue;
            const points = pointsOf.get(usagePeriodId(_id, periodStart.toISOString())) ?? 0;
            expected += billed(lines, 'OVERAGE') - useOf(points, terms).overageCents;
          }
          if (expected === creditCents) continue;
          const found = `it has ${creditCents} cents of credit, and should have ${expected}`;
          report.fault(credits, `${_id}, partner ${partnerId}: ${found}`);
        }
        report.looked(credits, subscriptions.length);
      });
      await pace();
    }
  },
};
