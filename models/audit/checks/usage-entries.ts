import { dayOf, useOf } from '../../../domain/billing.ts';
import type { Posting } from '../../../domain/postings.ts';
import { type PeriodRef, periodOf, usageAccounts } from '../../billing/index.ts';
import type { EntryDoc } from '../../schemas/entries.ts';
import type { RewardDoc } from '../../schemas/rewards.ts';
import type { AuditDeps } from '../audit.ts';
import type { DocCheck } from '../sources.ts';
import { spelled } from './spelled.ts';

interface Expected {
  kind: string;
  postings: Posting[];
}

/** A problem of what an entry is about. */
class Problem extends Error {}

/** What a page of entries is about, read in two steps. */
interface Facts {
  rewardOf: Map<string, RewardDoc>;
  countedOf: Map<string, EntryDoc>;
}

type Expectation = (
  about: AuditDeps & Facts,
  entry: EntryDoc,
  id: string,
) => Expected | Promise<Expected>;

/** The expectation of an entry, by the prefix of its reference. */
const expectations: Record<string, Expectation> = {
  usage: usageOf,
  giveBack: giveBackOf,
  close: closeOf,
  creditUsed: creditUsedOf,
};

/** Every usage entry matches its reward, period or invoice: counts, returns, closed periods and credits. */
export const usageEntries: DocCheck<EntryDoc> = {
  name: 'usage: every entry counts what its event is worth',
  async problemsOf(deps, partnerId, entries) {
    const about = { ...deps, ...(await readFacts(deps, partnerId, entries)) };
    const problems = await Promise.all(
      entries.map(async (doc) => {
        const problem = await problemOf(about, doc);
        return problem === undefined
          ? []
          : [{ doc, text: `${doc._id} (${doc.reference}): ${problem}` }];
      }),
    );
    return problems.flat();
  },
};

async function readFacts(
  { models }: AuditDeps,
  partnerId: string,
  entries: EntryDoc[],
): Promise<Facts> {
  const ids = entries.map(({ reference }) => idIn(reference));
  const references = ids.map((id) => `usage:${id}`);
  const [rewards, counted] = await Promise.all([
    models.rewards.find({ partnerId, _id: { $in: ids } }),
    usage.chain.model.find({ partnerId, reference: { $in: references } }),
  ]);
  return {
    rewardOf: new Map(rewards.map((reward) => [reward._id, reward])),
    countedOf: new Map(counted.map((entry) => [idIn(entry.reference), entry])),
  };
}

const wordIn = (reference: string): string => reference.split(':')[0] ?? '';
const idIn = (reference: string): string => reference.slice(wordIn(reference).length + 1);

async function problemOf(about: AuditDeps & Facts, entry: EntryDoc): Promise<string | undefined> {
  const word = wordIn(entry.reference);
  const expectation = Object.hasOwn(expectations, word) ? expectations[word] : undefined;
  if (!expectation) return 'no usage is written under this reference';
  try {
    const { kind, postings } = await expectation(about, entry, idIn(entry.reference));
    if (entry.kind !== kind) return `it is ${entry.kind}, and should be ${kind}`;
    if (spelled(entry.postings) !== spelled(postings)) {
      return `it counts ${spelled(entry.postings)}; for its event, it should count ${spelled(postings)}`;
    }
    return spelledDay(entry) === dayOfPostings(entry)
      ? undefined
      : `its day says ${spelledDay(entry)}; its postings say ${dayOfPostings(entry)}`;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

const spelledDay = ({ day }: EntryDoc): string =>
  day ? `${day.of}: ${day.points} points and ${day.cents} cents at ${day.seq}` : 'nothing';

function dayOfPostings({ postings }: EntryDoc): string {
  const [counted, paid] = ['day:', 'dayCents:'].map((account) =>
    postings.find((one) => one.account.startsWith(account)),
  );
  if (!counted) return 'nothing';
  const of = counted.account.slice('day:'.length);
  return `${of}: ${counted.balanceAfter} points and ${paid?.balanceAfter} cents at ${counted.seq}`;
}

const points = (account: string, amount: number): Posting => ({ account, unit: 'POINTS', amount });
const cents = (account: string, amount: number): Posting => ({ account, unit: 'CENTS', amount });

function requirePeriod({ postings }: EntryDoc): PeriodRef {
  const period = postings.flatMap(({ account }) => periodOf(account) ?? [])[0];
  if (!period) throw new Problem('it counts in no period');
  return period;
}

function usageOf({ rewardOf }: Facts, entry: EntryDoc, rewardId: string): Expected {
  const reward = rewardOf.get(rewardId);
  if (!reward || entry.rewardId !== rewardId)
    throw new Problem(`reward ${rewardId} does not exist`);
  if (reward.mode !== 'LIVE') throw new Problem(`reward ${rewardId} is ${reward.mode}`);
  const period = requirePeriod(entry);
  const day = dayOf(entry.at.toISOString());
  return {
    kind: 'USAGE',
    postings: [
      points(usageAccounts.period(period), reward.points),
      points(usageAccounts.closed(period), 0),
      points(usageAccounts.day(day), reward.points),
      cents(usageAccounts.dayCents(day), reward.liabilityCents),
    ],
  };
}

async function giveBackOf(
  about: AuditDeps & Facts,
  entry: EntryDoc,
  rewardId: string,
): Promise<Expected> {
  const counted = about.countedOf.get(rewardId);
  if (!counted) throw new Problem(`reward ${rewardId} was never counted`);
  const period = requirePeriod(counted);
  const closed = usageAccounts.closed(period);
  const wasOpen = entry.postings.some(({ account }) => account === closed);
  const reversed = counted.postings
    .filter(({ account }) => wasOpen || account !== closed)
    .map(({ account, unit, amount }) => ({ account, unit, amount: 0 - amount }));
  const credit = wasOpen ? [] : await creditOf(about, entry, period);
  return { kind: 'GIVE_BACK', postings: [...reversed, ...credit] };
}

/** The overage saved in a closed period. */
async function creditOf(
  { models }: AuditDeps,
  { partnerId, postings }: EntryDoc,
  { subscriptionId, start }: PeriodRef,
): Promise<Posting[]> {
  if (subscriptionId === null) throw new Problem('a calendar month is never closed');
  const invoice = await models.invoices.findOne({
    partnerId,
    subscriptionId,
    periodStart: new Date(start),
    kind: 'PERIOD',
  });
  if (!invoice?.terms) throw new Problem(`${subscriptionId} has no invoice from ${start}`);
  const account = usageAccounts.period({ subscriptionId, start });
  const { balanceAfter = 0, amount = 0 } = postings.find((one) => one.account === account) ?? {};
  const before = useOf(balanceAfter - amount, invoice.terms).overageCents;
  const after = useOf(balanceAfter, invoice.terms).overageCents;
  return [cents(usageAccounts.credit(subscriptionId), before - after)];
}

function closeOf(_about: Facts, entry: EntryDoc, id: string): Expected {
  const period = requirePeriod(entry);
  if (id !== `${period.subscriptionId}:${period.start}`) {
    throw new Problem(`it closes ${usageAccounts.period(period)}`);
  }
  return {
    kind: 'CLOSE',
    postings: [points(usageAccounts.period(period), 0), points(usageAccounts.closed(period), 1)],
  };
}

async function creditUsedOf(
  { models }: AuditDeps,
  { partnerId }: EntryDoc,
  invoiceId: string,
): Promise<Expected> {
  const invoice = await models.invoices.findOne({ partnerId, _id: invoiceId });
  if (!invoice) throw new Problem(`invoice ${invoiceId} does not exist`);
  const line = invoice.lines.find(({ kind }) => kind === 'CREDIT');
  const account = usageAccounts.credit(invoice.subscriptionId);
  return { kind: 'CREDIT_USED', postings: [cents(account, line?.amountCents ?? 0)] };
}
