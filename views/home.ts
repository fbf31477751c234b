import { type PeriodUse, useOf } from '../domain/billing.ts';
import type { Mode } from '../domain/mode.ts';
import { billingStatusAt, periodPoints } from '../models/billing/index.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { Models } from '../models/schemas/index.ts';
import type { TimedDeps } from './deps.ts';
import { readFunding } from './funding.ts';
import { type LogOutcome, outcomesOf } from './log.ts';
import type { PartnerScope } from './partner-scope.ts';
import { type Refusals, readRefusals } from './requests.ts';

const newestEvents = 8;

/** An event, with what it did. */
export type EventWithOutcome = OrderEventDoc & { outcome: LogOutcome | undefined };

export interface LiveHome {
  funding: Awaited<ReturnType<typeof readFunding>>;
  period: { start: string; end: string };
  /** Whether a subscription meters the points. */
  isMetered: boolean;
  includedPoints: number;
  points: number;
  use: PeriodUse;
  /** Newest first. */
  events: EventWithOutcome[];
  /** Refused requests since midnight UTC, by code, most frequent first. */
  refusals: Refusals[];
}

/**
 * A LIVE partner's home page. It reads running totals and a few index entries, so that it costs the same
 * however many events there are.
 */
export async function readLiveHome(deps: TimedDeps, partnerId: PartnerScope): Promise<LiveHome> {
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
  { models, now }: TimedDeps,
  partnerId: PartnerScope,
): Promise<Pick<LiveHome, 'events' | 'refusals'>> {
  const today = new Date(now()).toISOString().slice(0, 10);
  const [events, refusals] = await Promise.all([
    findNewestEvents(models, partnerId, 'TEST'),
    readRefusals(models, { partnerId, mode: 'TEST' }, { from: today, to: today }),
  ]);
  return { events, refusals };
}

async function findNewestEvents(
  models: Models,
  partnerId: PartnerScope,
  mode: Mode,
): Promise<EventWithOutcome[]> {
  const events = await models.orderEvents
    .find({ partnerId, mode })
    .sort({ _id: -1 })
    .limit(newestEvents);
  const outcomes = await outcomesOf(models, partnerId, events);
  return events.map((event) => ({ ...event, outcome: outcomes.get(event._id) }));
}
