import { modes } from '../domain/mode.ts';
import type { RecordList } from '../domain/records.ts';
import { customerStatusOf, isFunded, statusOf } from '../domain/reward.ts';
import { namesOfActors } from '../models/identity/operators.ts';
import type { AuditEntryDoc } from '../models/schemas/audit.ts';
import type { EntryDoc } from '../models/schemas/entries.ts';
import type { ModelOf, Models } from '../models/schemas/index.ts';
import type { ComparisonJob } from '../models/schemas/jobs.ts';
import type { ReviewDoc } from '../models/schemas/reviews.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { everyPage, given } from '../models/store/paging.ts';
import { amountCell, type Cell, type CsvColumns, cellsOf } from '../platform/csv.ts';
import { type AuditLogFilter, entriesIn } from './audit-log.ts';
import type { ViewDeps } from './deps.ts';
import { type LedgerFilter, namesAndCurrencies, transactionsIn } from './funding.ts';
import { integrationNames, readPartnerNames } from './names.ts';
import type { PartnerScope } from './partner-scope.ts';
import { named, openedOn, type ReviewFilter, type ReviewState } from './reviews.ts';
import { type RewardFilter, rewardsIn } from './rewards.ts';

/** Filters of a list of reviews. */
export interface ReviewListFilter extends ReviewFilter {
  state: ReviewState;
  /** The assigned operator; for `MINE`. */
  assigneeId?: string | undefined;
}

/** One of the operators' lists, with its filters. */
export type Records =
  | { list: 'REVIEWS'; filter: ReviewListFilter }
  | { list: 'REWARDS'; filter: RewardFilter }
  | { list: 'LEDGER'; filter: LedgerFilter }
  | { list: 'AUDIT_LOG'; filter: AuditLogFilter };

/** The columns of an exported list; each cell is made of a document and of the names on its page. */
type Columns<Row, Names> = CsvColumns<{ one: Row; names: Names }>;

type ReviewNames = Awaited<ReturnType<typeof reviewNames>>;

const reviewColumns: Columns<ReviewDoc, ReviewNames> = {
  openedAt: ({ one }) => one.openedAt,
  reviewId: ({ one }) => one._id,
  partnerId: ({ one }) => one.partnerId,
  partner: ({ one, names }) => names.nameOf.get(one.partnerId),
  mode: ({ one }) => one.mode,
  externalOrderId: ({ one }) => one.externalOrderId,
  rewardId: ({ one }) => one.rewardId,
  refunded: ({ one, names }) => amountIn(names.costOf.get(one._id)?.currency, one.amountCents),
  points: ({ one }) => one.points,
  cost({ one, names }) {
    const of = names.costOf.get(one._id);
    return amountIn(of?.currency, of?.liabilityCents);
  },
  currency: ({ one, names }) => names.costOf.get(one._id)?.currency,
  status: ({ one }) => one.status,
  dueAt: ({ one }) => one.dueAt,
  rounds: ({ one }) => one.rounds,
  assignee: ({ one: { assigneeId = null }, names }) => called(names.assignees, assigneeId),
  verdict: ({ one }) => one.decision?.verdict,
  reasonCode: ({ one }) => one.decision?.reasonCode,
  decidedBy: ({ one, names }) => called(names.deciders, one.decision?.operatorId ?? null),
  decidedAt: ({ one }) => one.decision?.decidedAt,
};

const amountIn = (currency: string | undefined, cents: number | undefined): Cell | undefined =>
  currency === undefined || cents === undefined ? undefined : amountCell(cents, currency);

type PartnerNames = ReadonlyMap<string, string>;

const rewardColumns: Columns<RewardDoc, PartnerNames> = {
  createdAt: ({ one }) => one.createdAt,
  rewardId: ({ one }) => one._id,
  partnerId: ({ one }) => one.partnerId,
  partner: ({ one, names }) => names.get(one.partnerId),
  mode: ({ one }) => one.mode,
  externalOrderId: ({ one }) => one.externalOrderId,
  status: ({ one }) => statusOf(one.state),
  customerStatus: ({ one }) => customerStatusOf(one.state),
  points: ({ one }) => one.points,
  cost: ({ one }) => amountCell(one.liabilityCents, one.currency),
  currency: ({ one }) => one.currency,
  funded: ({ one }) => (isFunded(one.state) ? 'yes' : 'no'),
  claimExpiresAt: ({ one }) => one.claimExpiresAt,
  customerId: ({ one }) => one.customerId,
  eventId: ({ one }) => one.purchaseEventId,
  integrationId: ({ one }) => one.integrationId,
  orderAmount: ({ one }) => amountCell(one.arithmetic.subtotalCents, one.currency),
  refunded: ({ one }) => amountIn(one.currency, one.refundedCents),
};

type Posting = EntryDoc & EntryDoc['postings'][number];
type PostingNames = Awaited<ReturnType<typeof namesAndCurrencies>>;

const postingColumns: Columns<Posting, PostingNames> = {
  at: ({ one }) => one.at,
  transactionId: ({ one }) => one._id,
  kind: ({ one }) => one.kind,
  partnerId: ({ one }) => one.partnerId,
  partner: ({ one, names }) => names.nameOf.get(one.partnerId),
  rewardId: ({ one }) => one.rewardId,
  reference: ({ one }) => one.reference,
  account: ({ one }) => one.account,
  unit: ({ one }) => (one.unit === 'CENTS' ? 'MONEY' : one.unit),
  currency: ({ one, names }) => (one.unit === 'CENTS' ? names.currencyOf.get(one.partnerId) : null),
  amount: (row) => ofUnit(row, row.one.amount),
  seq: ({ one }) => one.seq,
  balanceAfter: (row) => ofUnit(row, row.one.balanceAfter),
  hash: ({ one }) => one.hash,
};

/** Points as they are, and money in units of the partner's currency. */
const ofUnit = ({ one, names }: { one: Posting; names: PostingNames }, value: number): Cell => {
  const currency = names.currencyOf.get(one.partnerId);
  return one.unit === 'CENTS' && currency !== undefined ? amountCell(value, currency) : value;
};

type AuditNames = Awaited<ReturnType<typeof auditNames>>;

const auditColumns: Columns<AuditEntryDoc, AuditNames> = {
  at: ({ one }) => one.at,
  auditEntryId: ({ one }) => one._id,
  action: ({ one }) => one.action,
  status: ({ one }) => one.status,
  actorId: ({ one }) => one.actorId,
  actor: ({ one, names }) => names.actors.get(one.actorId),
  approvedBy: ({ one, names }) => called(names.actors, one.approvedBy),
  isAlone: ({ one }) => (one.isAlone ? 'yes' : null),
  partnerId: ({ one }) => one.partnerId,
  partner: ({ one, names }) => names.partners.get(one.partnerId ?? ''),
  targetId: ({ one }) => one.targetId,
  completedAt: ({ one }) => one.completedAt,
  requestId: ({ one }) => one.requestId,
  details: ({ one }) =>
    Object.keys(one.details).length === 0 ? null : JSON.stringify(one.details),
};

/** The name of an id, or the id. */
const called = (names: ReadonlyMap<string, string>, id: string | null): string | null =>
  id && (names.get(id) ?? id);

/** The headings of each list in an exported file. */
export const recordColumns: Record<RecordList, readonly string[]> = {
  REVIEWS: Object.keys(reviewColumns),
  REWARDS: Object.keys(rewardColumns),
  LEDGER: Object.keys(postingColumns),
  AUDIT_LOG: Object.keys(auditColumns),
};

/** A list to export. */
export interface RecordSource {
  /** Counts its documents, up to a limit. */
  count(limit: number): Promise<number>;
  /** Its rows, newest first; those of one document, such as the postings of a transaction, together. */
  rows(): AsyncGenerator<Cell[][]>;
}

export async function recordsOf(
  { models, now }: { models: Models; now: () => number },
  { list, filter }: Records,
): Promise<RecordSource> {
  const partnerNames = (page: { partnerId: string }[]) => readPartnerNames({ models }, page);
  switch (list) {
    case 'REVIEWS': {
      const conditions = reviewsIn(filter, now());
      return source(models.reviews, conditions, alone, reviewColumns, (page) =>
        reviewNames(models, page),
      );
    }
    case 'REWARDS':
      return source(models.rewards, rewardsIn(filter), alone, rewardColumns, partnerNames);
    case 'LEDGER': {
      const conditions = await transactionsIn(models, filter);
      return source(models.ledger, conditions, postingsOf, postingColumns, (page) =>
        namesAndCurrencies(
          models,
          page.map(({ partnerId }) => partnerId),
        ),
      );
    }
    case 'AUDIT_LOG':
      return source(models.auditEntries, entriesIn(filter), alone, auditColumns, (page) =>
        auditNames(models, page),
      );
  }
}

const alone = <Doc>(document: Doc): Doc[] => [document];
const postingsOf = (entry: EntryDoc): Posting[] =>
  entry.postings.map((posting) => ({ ...entry, ...posting }));

/** @param partsOf what each row of a document shows */
const source = <Doc extends { _id: string }, Row, Names>(
  model: ModelOf<Doc>,
  conditions: Record<string, unknown>[],
  partsOf: (document: Doc) => Row[],
  columns: Columns<Row, Names>,
  namesOf: (page: Doc[]) => Promise<Names>,
): RecordSource => ({
  count: (limit) =>
    // MongoDB refuses an empty `$and`.
    model.countDocuments(conditions.length === 0 ? {} : { $and: conditions }, { limit }).exec(),
  async *rows() {
    for await (const page of everyPage<Doc>(model, conditions)) {
      const names = await namesOf(page);
      for (const document of page) {
        yield partsOf(document).map((one) => cellsOf(columns, { one, names }));
      }
    }
  },
});

/** Conditions in the form that the index by status needs. */
function reviewsIn(
  { state, mode, partnerId, assigneeId, ...days }: ReviewListFilter,
  nowMs: number,
): Record<string, unknown>[] {
  return [
    ...given({
      status: state === 'DECIDED' || state === 'BY_POLICY' ? state : 'OPEN',
      partnerId,
      mode: mode ?? { $in: modes },
      assigneeId,
    }),
    ...(state === 'OVERDUE' ? [{ dueAt: { $lt: new Date(nowMs) } }] : []),
    ...openedOn(days),
  ];
}

async function reviewNames(models: Models, page: ReviewDoc[]) {
  const [names, deciders] = await Promise.all([
    named({ models }, page),
    namesOfActors(
      models,
      page.map(({ decision }) => decision?.operatorId ?? null),
    ),
  ]);
  return { ...names, deciders };
}

async function auditNames(models: Models, page: AuditEntryDoc[]) {
  const [actors, partners] = await Promise.all([
    namesOfActors(
      models,
      page.flatMap(({ actorId, approvedBy }) => [actorId, approvedBy]),
    ),
    readPartnerNames({ models }, page),
  ]);
  return { actors, partners };
}

/** The names of comparisons' integrations. */
export const comparedIntegrations = (
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  jobs: readonly ComparisonJob[],
): Promise<(integrationId: string | null) => string> =>
  integrationNames(
    models,
    partnerId,
    jobs.map(({ input }) => input),
  );
