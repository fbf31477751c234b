import type { Mode } from '../../domain/mode.ts';
import { type PeriodUse, useOf } from '../../domain/plan-arithmetic.ts';
import { billingStatusAt, readRunway, type Usage } from '../billing/index.ts';
import { type Ledger, waitingIn, walletBalances } from '../ledger/index.ts';
import type { Models } from '../schemas/index.ts';
import type { OrderEventDoc } from '../schemas/order-event.ts';
import type { PartnerScope } from './partner-scope.ts';
import { type Refusals, readRefusals } from './refusals.ts';

export interface LiveDayDeps {
  models: Models;
  ledger: Ledger;
  usage: Usage;
  now: () => number;
}

const newestEvents = 8;

/** The LIVE money of a partner, in cents, and how many days it lasts at the rate of the last days. */
export async function readFunding(
  { models, ledger, usage, now }: LiveDayDeps,
  partnerId: PartnerScope,
) {
  const wallet = { mode: 'LIVE', partnerId } as const;
  const at = new Date(now()).toISOString();
  const [balances, waiting] = await Promise.all([
    walletBalances(ledger, wallet),
    waitingIn(models, wallet),
  ]);
  const runwayDays = await readRunway(usage, partnerId, balances.fundingCents, at);
  return { ...balances, ...waiting, runwayDays };
}

export interface LiveDay {
  funding: Awaited<ReturnType<typeof readFunding>>;
  period: { start: string; end: string };
  /** A subscription counts them. */
  isMetered: boolean;
  includedPoints: number;
  points: number;
  use: PeriodUse;
  /** The newest first. */
  events: OrderEventDoc[];
  /** Refused requests since midnight, UTC, by code, the most frequent first. */
  refusals: Refusals[];
}

/**
 * What matters to a LIVE partner day by day. Running totals, and a few newest keys of an index: it costs
 * the same however much was ever sent.
 */
export async function readLiveDay(deps: LiveDayDeps, partnerId: PartnerScope): Promise<LiveDay> {
  const { models, usage, now } = deps;
  const at = new Date(now()).toISOString();
  const { subscription, period, terms } = await billingStatusAt(models, partnerId, at);
  const today = at.slice(0, 10);
  const ref = { subscriptionId: subscription?._id ?? null, start: period.start };
  const [funding, points, events, refusals] = await Promise.all([
    readFunding(deps, partnerId),
    usage.periodPoints(partnerId, ref),
    findNewestEvents(models, partnerId, 'LIVE'),
    readRefusals(models, { partnerId, mode: 'LIVE' }, { from: today, to: today }),
  ]);
  const { includedPoints } = terms;
  return {
    ...{ funding, period, includedPoints, points, use: useOf(points, terms) },
    ...{ isMetered: subscription !== null, events, refusals },
  };
}

/** The newest events of TEST, and what was refused there since midnight, UTC. */
export async function readTestDay(
  { models, now }: Pick<LiveDayDeps, 'models' | 'now'>,
  partnerId: PartnerScope,
): Promise<Pick<LiveDay, 'events' | 'refusals'>> {
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
  orderEvents.find({ partnerId, mode }).sort({ _id: -1 }).limit(newestEvents).lean();
