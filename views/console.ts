import { modes } from '../domain/mode.ts';
import { auditPatienceMs, maxCountedInMenu } from '../domain/operators.ts';
import { countDue, workflowWaitLimitMs } from '../models/due.ts';
import type { AloneDoc, AuditRunDoc, ProposalDoc } from '../models/schemas/audit.ts';
import type { WaitingRefundDoc } from '../models/schemas/connections.ts';
import type { Models } from '../models/schemas/index.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import type { ReviewDoc } from '../models/schemas/reviews.ts';
import { ofProposalStatus, readApprovalsOff, readProposalNames } from './approvals.ts';
import type { TimedDeps } from './deps.ts';
import { namesOfPartners } from './names.ts';
import { type RefusedPartner, readRefusedPartners } from './requests.ts';
import { readReviewQueue } from './reviews.ts';
import { type MissingFunds, readMissingFunds } from './rewards.ts';

/** Counting stops here: this many means "at least this many". */
export const homeCountLimit = 10_000;
/** Items of each kind listed by name. */
export const homeNamed = 5;
/** More than the proposals that are ever open at the same time. */
const maxProposals = 100;
const refusedWithinMs = 3_600_000;

/** Work for operators. No count is above `homeCountLimit`. */
export interface ConsoleHome {
  reviews: { open: number; overdue: number; first: ReviewDoc[] };
  goLive: { count: number; first: PartnerDoc[] };
  /** Open proposals, the first to expire first. */
  proposals: ProposalDoc[];
  missingFunds: MissingFunds[];
  /** Refused requests of the last hour. */
  refused: RefusedPartner[];
  /** What has been due for more than a minute. */
  waiting: number;
  /** What could not be done in many attempts. */
  setApart: number;
  operationsNeverCompleted: number;
  /** Refunds that failed at a shop's platform after they were counted, and that nobody settled: the oldest. */
  failedRefunds: WaitingRefundDoc[];
  lastAudit: AuditRunDoc | null;
  /** The period in which approvals were off, and the operations in it. */
  approvalsOff: AloneDoc | null;
}

/**
 * Reads the operators' home page. It reads only open work, so that it costs the same however much data
 * there is.
 */
export async function readConsoleHome(models: Models, nowMs: number): Promise<ConsoleHome> {
  const { reviews, partners, proposals, auditEntries, auditRuns, waitingRefunds } = models;
  const limit = { limit: homeCountLimit };
  const at = new Date(nowMs);
  const before = (ms: number) => new Date(nowMs - ms);
  const inReview = { 'goLive.state': 'IN_REVIEW' as const };
  const [
    open,
    overdue,
    first,
    requests,
    requested,
    proposed,
    missing,
    refused,
    due,
    operations,
    run,
    approvalsOff,
    failedRefunds,
  ] = await Promise.all([
    reviews.countDocuments({ status: 'OPEN' }, limit),
    reviews.countDocuments({ status: 'OPEN', mode: { $in: modes }, dueAt: { $lt: at } }, limit),
    readReviewQueue(models, {}, homeNamed),
    partners.countDocuments(inReview, limit),
    partners.find(inReview).sort({ _id: -1 }).limit(homeNamed),
    proposals
      .find({ status: 'PROPOSED', expiresAt: { $gt: at } })
      .sort({ _id: -1 })
      .limit(maxProposals),
    readMissingFunds(models),
    readRefusedPartners(models, before(refusedWithinMs)),
    countDue(models, before(workflowWaitLimitMs), homeCountLimit),
    auditEntries.countDocuments(
      { status: 'INTENDED', at: { $lt: before(auditPatienceMs) } },
      limit,
    ),
    auditRuns.findOne({ partnerId: null }).sort({ _id: -1 }),
    readApprovalsOff(models),
    waitingRefunds
      .find({ kind: 'FAILED', settledAt: null })
      .sort({ receivedAt: 1 })
      .limit(homeNamed),
  ]);
  return {
    reviews: { open, overdue, first },
    goLive: { count: requests, first: requested },
    proposals: proposed.toReversed(),
    missingFunds: missing,
    refused,
    ...due,
    operationsNeverCompleted: operations,
    lastAudit: run,
    approvalsOff,
    failedRefunds,
  };
}

/** What waits for operators, for their menu. */
export interface Waiting {
  /** Open reviews, of both modes. */
  reviews: number;
  /** Proposals that can still be approved. */
  proposals: number;
  /** Requests for go-live. */
  goLive: number;
}

/** Counts what waits for operators, each up to `maxCountedInMenu` entries of one index. */
export async function countWaiting(
  { reviews, proposals, partners }: Pick<Models, 'reviews' | 'proposals' | 'partners'>,
  nowMs: number,
): Promise<Waiting> {
  const limit = { limit: maxCountedInMenu };
  const [open, proposed, requested] = await Promise.all([
    reviews.countDocuments({ status: 'OPEN' }, limit),
    proposals.countDocuments(ofProposalStatus('PROPOSED', new Date(nowMs)), limit),
    partners.countDocuments({ 'goLive.state': 'IN_REVIEW' }, limit),
  ]);
  return { reviews: open, proposals: proposed, goLive: requested };
}

/** The operators' home page, with the names of partners and proposals. */
export async function readConsoleHomeView({ models, now }: TimedDeps) {
  const home = await readConsoleHome(models, now());
  const named = [
    ...home.reviews.first,
    ...home.missingFunds.slice(0, homeNamed),
    ...home.refused.slice(0, homeNamed),
  ];
  const [nameOf, proposalNames] = await Promise.all([
    namesOfPartners(
      models,
      named.map(({ partnerId }) => partnerId),
    ),
    readProposalNames({ models }, home.proposals),
  ]);
  return { home, nameOf, proposalNames };
}

export type ConsoleHomeView = Awaited<ReturnType<typeof readConsoleHomeView>>;
