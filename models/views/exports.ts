import { modes } from '../../domain/mode.ts';
import type { RecordList } from '../../domain/records.ts';
import { namesOfActors } from '../identity/operators.ts';
import type { AuditEntryDoc } from '../schemas/audit.ts';
import type { EntryDoc } from '../schemas/entries.ts';
import type { Models } from '../schemas/index.ts';
import type { Cell, ComparisonJob } from '../schemas/jobs.ts';
import type { ReviewDoc } from '../schemas/reviews.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { everyPage, given } from '../store/paging.ts';
import { type AuditLogFilter, entriesIn } from './audit-log.ts';
import type { ViewDeps } from './deps.ts';
import { bookOf, type LedgerFilter, namesAndCurrencies, transactionsIn } from './funding.ts';
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

/** The columns of each list in an exported file. */
export const recordColumns: Record<RecordList, readonly string[]> = {
  REVIEWS: [
    ...['openedAt', 'reviewId', 'partnerId', 'partner', 'mode', 'externalOrderId', 'rewardId'],
    ...[
      'refundedCents',
      'points',
      'costCents',
      'currency',
      'status',
      'dueAt',
      'rounds',
      'assignee',
    ],
    ...['verdict', 'reasonCode', 'decidedBy', 'decidedAt'],
  ],
  REWARDS: [
    ...['createdAt', 'rewardId', 'partnerId', 'partner', 'mode', 'externalOrderId', 'status'],
    ...['customerStatus', 'points', 'costCents', 'currency', 'funded', 'claimExpiresAt'],
    ...['customerId', 'eventId', 'integrationId', 'orderCents', 'refundedCents'],
  ],
  LEDGER: [
    ...['at', 'transactionId', 'kind', 'partnerId', 'partner', 'rewardId', 'reference'],
    ...['account', 'unit', 'currency', 'amount', 'seq', 'balanceAfter', 'hash'],
  ],
  AUDIT_LOG: [
    ...['at', 'auditEntryId', 'action', 'status', 'actorId', 'actor', 'approvedBy', 'isAlone'],
    ...['partnerId', 'partner', 'targetId', 'completedAt', 'requestId', 'details'],
  ],
};

/** Counts the documents of a list, up to a limit. */
export async function countRecords(
  { models, now }: { models: Models; now: () => number },
  records: Records,
  limit: number,
): Promise<number> {
  switch (records.list) {
    case 'REVIEWS':
      return await models.reviews.countDocuments(
        { $and: reviewsIn(records.filter, now()) },
        { limit },
      );
    case 'REWARDS':
      return await models.rewards.countDocuments(all(rewardsIn(records.filter)), { limit });
    case 'LEDGER': {
      const conditions = await transactionsIn(models, records.filter);
      return await bookOf(models, records.filter).countDocuments(all(conditions), { limit });
    }
    case 'AUDIT_LOG':
      return await models.auditEntries.countDocuments(all(entriesIn(records.filter)), { limit });
  }
}

/** MongoDB refuses an empty `$and`. */
const all = (conditions: Record<string, unknown>[]) =>
  conditions.length === 0 ? {} : { $and: conditions };

/**
 * A list as rows of a table, newest first. Rows that belong together, such as the postings of one
 * transaction, are yielded together.
 */
export async function* recordRows(
  { models, now }: { models: Models; now: () => number },
  records: Records,
): AsyncGenerator<Cell[][]> {
  switch (records.list) {
    case 'REVIEWS': {
      const conditions = reviewsIn(records.filter, now());
      for await (const page of everyPage<ReviewDoc>(models.reviews, conditions)) {
        yield* await reviewRows(models, page);
      }
      return;
    }
    case 'REWARDS':
      for await (const page of everyPage<RewardDoc>(models.rewards, rewardsIn(records.filter))) {
        yield* await rewardRows(models, page);
      }
      return;
    case 'LEDGER': {
      const conditions = await transactionsIn(models, records.filter);
      for await (const page of everyPage<EntryDoc>(bookOf(models, records.filter), conditions)) {
        yield* await postingRows(models, page);
      }
      return;
    }
    case 'AUDIT_LOG':
      for await (const page of everyPage<AuditEntryDoc>(
        models.auditEntries,
        entriesIn(records.filter),
      )) {
        yield* await auditRows(models, page);
      }
  }
}

/** Conditions in the form that the index by status needs. */
function reviewsIn(
  { state, mode, partnerId, assigneeId, ...days }: ReviewListFilter,
  nowMs: number,
): Record<string, unknown>[] {
  return [
    ...given({
      status: state === 'DECIDED' ? 'DECIDED' : 'OPEN',
      partnerId,
      mode: mode ?? { $in: modes },
      assigneeId,
    }),
    ...(state === 'OVERDUE' ? [{ dueAt: { $lt: new Date(nowMs) } }] : []),
    ...openedOn(days),
  ];
}

async function reviewRows(models: Models, page: ReviewDoc[]): Promise<Cell[][][]> {
  const { nameOf, assignees, costOf } = await named({ models }, page);
  const deciders = await namesOfActors(
    models,
    page.map(({ decision }) => decision?.operatorId ?? null),
  );
  return page.map((one) => {
    const { decision, assigneeId = null } = one;
    const cost = costOf.get(one._id);
    return [
      [
        ...[one.openedAt.toISOString(), one._id, one.partnerId, nameOf.get(one.partnerId) ?? null],
        ...[one.mode, one.externalOrderId, one.rewardId, one.amountCents, one.points],
        ...[cost?.liabilityCents ?? null, cost?.currency ?? null],
        ...[one.status, one.dueAt.toISOString(), one.rounds],
        ...[assigneeId && (assignees.get(assigneeId) ?? assigneeId)],
        ...[decision?.verdict ?? null, decision?.reasonCode ?? null],
        ...[decision && (deciders.get(decision.operatorId) ?? decision.operatorId)],
        ...[decision?.decidedAt ?? null],
      ],
    ];
  });
}

async function rewardRows(models: Models, page: RewardDoc[]): Promise<Cell[][][]> {
  const nameOf = await readPartnerNames({ models }, page);
  return page.map((one) => [
    [
      ...[one.createdAt.toISOString(), one._id, one.partnerId, nameOf.get(one.partnerId) ?? null],
      ...[one.mode, one.externalOrderId, one.status, one.customerStatus, one.points],
      ...[one.liabilityCents, one.currency, one.funded ? 'yes' : 'no'],
      ...[one.claimExpiresAt.toISOString(), one.customerId, one.purchaseEventId],
      ...[one.integrationId, one.arithmetic.subtotalCents, one.refundedCents],
    ],
  ]);
}

async function postingRows(models: Models, page: EntryDoc[]): Promise<Cell[][][]> {
  const partnerIds = page.map(({ partnerId }) => partnerId);
  const { nameOf, currencyOf } = await namesAndCurrencies(models, partnerIds);
  return page.map(({ _id, at, kind, partnerId, rewardId, reference, seq, hash, postings }) =>
    postings.map(({ account, unit, amount, balanceAfter }) => [
      ...[at.toISOString(), _id, kind, partnerId, nameOf.get(partnerId) ?? null],
      ...[rewardId, reference, account, unit],
      ...[unit === 'CENTS' ? (currencyOf.get(partnerId) ?? null) : null],
      ...[amount, seq, balanceAfter, hash],
    ]),
  );
}

async function auditRows(models: Models, page: AuditEntryDoc[]): Promise<Cell[][][]> {
  const [actors, partners] = await Promise.all([
    namesOfActors(
      models,
      page.flatMap(({ actorId, approvedBy }) => [actorId, approvedBy]),
    ),
    readPartnerNames({ models }, page),
  ]);
  return page.map((one) => [
    [
      ...[one.at.toISOString(), one._id, one.action, one.status],
      ...[one.actorId, actors.get(one.actorId) ?? null],
      ...[one.approvedBy && (actors.get(one.approvedBy) ?? one.approvedBy)],
      ...[one.isAlone ? 'yes' : null],
      ...[one.partnerId, one.partnerId && (partners.get(one.partnerId) ?? null)],
      ...[one.targetId, one.completedAt?.toISOString() ?? null, one.requestId],
      ...[Object.keys(one.details).length === 0 ? null : JSON.stringify(one.details)],
    ],
  ]);
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
