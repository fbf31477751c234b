import { auditPatienceMs } from '../../domain/audit-log.ts';
import { modes } from '../../domain/mode.ts';
import type { AloneDoc, AuditRunDoc, ProposalDoc } from '../schemas/audit.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import type { ReviewDoc } from '../schemas/reviews.ts';
import { readApprovalsOff } from './approvals-off.ts';
import type { ViewDeps } from './deps.ts';
import { type MissingFunds, readMissingFunds } from './missing-funds.ts';
import { namesOfPartners } from './names.ts';
import { readProposalNames } from './proposal-names.ts';
import { type RefusedPartner, readRefusedPartners } from './refused-partners.ts';
import { readReviewQueue } from './review-queue.ts';

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
  /** What workflows have not been told within the configured limit. */
  unbegun: number;
  operationsNeverCompleted: number;
  lastAudit: AuditRunDoc | null;
  /** The period in which approvals were off, and the operations in it. */
  approvalsOff: AloneDoc | null;
}

/**
 * Reads the operators' home page. It reads only open work, so that it costs the same however much data
 * there is.
 * @param workflowWaitLimitMs how long a purchase may wait for its workflow to start
 */
export async function readConsoleHome(
  models: Models,
  nowMs: number,
  { workflowWaitLimitMs }: { workflowWaitLimitMs: number },
): Promise<ConsoleHome> {
  const { reviews, partners, proposals, auditEntries, auditRuns, outbox } = models;
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
    unbegun,
    operations,
    run,
    approvalsOff,
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
    outbox.countDocuments({ at: { $lt: before(workflowWaitLimitMs) } }, limit),
    auditEntries.countDocuments(
      { status: 'INTENDED', at: { $lt: before(auditPatienceMs) } },
      limit,
    ),
    auditRuns.findOne({ partnerId: null }).sort({ _id: -1 }),
    readApprovalsOff(models),
  ]);
  return {
    reviews: { open, overdue, first },
    goLive: { count: requests, first: requested },
    proposals: proposed.toReversed(),
    missingFunds: missing,
    refused,
    unbegun,
    operationsNeverCompleted: operations,
    lastAudit: run,
    approvalsOff,
  };
}

/** The operators' home page, with the names of partners and proposals. */
export async function readConsoleHomeView(
  { models, now }: Pick<ViewDeps, 'models' | 'now'>,
  limits: { workflowWaitLimitMs: number },
) {
  const home = await readConsoleHome(models, now(), limits);
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
