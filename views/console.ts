import { type PeriodUse, useOf } from '../domain/billing.ts';
import { type Mode, modes } from '../domain/mode.ts';
import { auditPatienceMs, maxCountedInMenu } from '../domain/operators.ts';
import { billingStatusAt, periodPoints, readRunway } from '../models/billing/index.ts';
import { countDue, workflowWaitLimitMs } from '../models/due.ts';
import { walletFunds } from '../models/ledger/index.ts';

import { findActiveRules } from '../models/rewards/rules.ts';
import type { AloneDoc, AuditRunDoc, ProposalDoc } from '../models/schemas/audit.ts';
import type { WaitingRefundDoc } from '../models/schemas/connections.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { Models } from '../models/schemas/index.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import type { ReviewDoc } from '../models/schemas/reviews.ts';
import { ofProposalStatus, readApprovalsOff, readProposalNames } from './approvals.ts';
import type { ViewDeps } from './deps.ts';
import { namesOfPartners } from './names.ts';
import type { PartnerScope } from './partner-scope.ts';
import {
  type Refusals,
  type RefusedPartner,
  readRefusals,
  readRefusedPartners,
} from './requests.ts';
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
export async function readConsoleHomeView({ models, now }: Pick<ViewDeps, 'models' | 'now'>) {
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

/** How many of the newest TEST events are searched for an order to refund. */
const newest = 50;

/**
 * Default values for the forms of the test console.
 * @param currency the partner's
 * @returns `currency`: the partner's, unless no active TEST rule has it but another one;
 *   `lastOrder`: the newest TEST purchase without a refund, or else the newest; null without any
 */
export async function readConsoleStart(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  currency: string,
): Promise<{ currency: string; lastOrder: string | null }> {
  const [rules, events] = await Promise.all([
    findActiveRules(models, partnerId, 'TEST'),
    models.orderEvents
      .find({ partnerId, mode: 'TEST' }, { type: 1, externalOrderId: 1 })
      .sort({ _id: -1 })
      .limit(newest),
  ]);
  const currencies = rules.map((rule) => rule.currency);
  const orders = (type: 'PURCHASE' | 'REFUND') =>
    events.filter((one) => one.type === type).map(({ externalOrderId }) => externalOrderId);
  const [refunded, purchased] = [orders('REFUND'), orders('PURCHASE')];
  return {
    currency: currencies.includes(currency) ? currency : (currencies[0] ?? currency),
    lastOrder: purchased.find((order) => !refunded.includes(order)) ?? purchased[0] ?? null,
  };
}

export interface DashboardDeps {
  models: Models;
  now: () => number;
}

const newestEvents = 8;

/** A partner's LIVE funds in cents, and for how many days they last at the rate of the last days. */
export async function readFunding({ models, now }: DashboardDeps, partnerId: PartnerScope) {
  const at = new Date(now()).toISOString();
  const funds = await walletFunds(models, { mode: 'LIVE', partnerId });
  return { ...funds, runwayDays: await readRunway(models, partnerId, funds.fundingCents, at) };
}

export interface LiveHome {
  funding: Awaited<ReturnType<typeof readFunding>>;
  period: { start: string; end: string };
  /** Whether a subscription meters the points. */
  isMetered: boolean;
  includedPoints: number;
  points: number;
  use: PeriodUse;
  /** Newest first. */
  events: OrderEventDoc[];
  /** Refused requests since midnight UTC, by code, most frequent first. */
  refusals: Refusals[];
}

/**
 * A LIVE partner's home page. It reads running totals and a few index entries, so that it costs the same
 * however many events there are.
 */
export async function readLiveHome(
  deps: DashboardDeps,
  partnerId: PartnerScope,
): Promise<LiveHome> {
  const { models, now } = deps;
  const at = new Date(now()).toISOString();
  const { subscription, period, terms } = await billingStatusAt(models, partnerId, at);
  const today = at.slice(0, 10);
  const ref = { subscriptionId: subscription?._id ?? null, start: period.start };
  const [funding, points, events, refusals] = await Promise.all([
    readFunding(deps, partnerId),
    periodPoints(models, partnerId, ref),
    findNewestEvents(models, partnerId, 'LIVE'),
    readRefusals(models, { partnerId, mode: 'LIVE' }, { from: today, to: today }),
  ]);
  const { includedPoints } = terms;
  return {
    funding,
    period,
    includedPoints,
    points,
    use: useOf(points, terms),
    isMetered: subscription !== null,
    events,
    refusals,
  };
}

/** The newest TEST events, and the TEST requests refused since midnight UTC. */
export async function readTestHome(
  { models, now }: Pick<DashboardDeps, 'models' | 'now'>,
  partnerId: PartnerScope,
): Promise<Pick<LiveHome, 'events' | 'refusals'>> {
  const today = new Date(now()).toISOString().slice(0, 10);
  const [events, refusals] = await Promise.all([
    findNewestEvents(models, partnerId, 'TEST'),
    readRefusals(models, { partnerId, mode: 'TEST' }, { from: today, to: today }),
  ]);
  return { events, refusals };
}

const findNewestEvents = (
  { orderEvents }: Models,
  partnerId: PartnerScope,
  mode: Mode,
): Promise<OrderEventDoc[]> =>
  orderEvents.find({ partnerId, mode }).sort({ _id: -1 }).limit(newestEvents);
