import type { Mode } from '../../domain/mode.ts';
import { type PeriodUse, useOf } from '../../domain/plan-arithmetic.ts';
import { billingStatusAt, periodPoints, readRunway } from '../billing/index.ts';
import { waitingIn, walletBalances } from '../ledger/index.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerScope } from './partner-scope.ts';
import { type Refusals, readRefusals } from './refusals.ts';

export interface DashboardDeps {
  models: Models;
  now: () => number;
}

const newestEvents = 8;

/** A partner's LIVE funds in cents, and for how many days they last at the rate of the last days. */
export async function readFunding({ models, now }: DashboardDeps, partnerId: PartnerScope) {
  const wallet = { mode: 'LIVE', partnerId } as const;
  const at = new Date(now()).toISOString();
  const [balances, waiting] = await Promise.all([
    walletBalances(models, wallet),
    waitingIn(models, wallet),
  ]);
  const runwayDays = await readRunway(models, partnerId, balances.fundingCents, at);
  return { ...balances, ...waiting, runwayDays };
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
