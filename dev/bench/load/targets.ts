import { type Answers, figure, perSecond, refusals } from './figures.ts';
import { cpuMsOf, type PurchaseWindow } from './purchases.ts';
import { answersOf, type Results, saleOf } from './results.ts';

/** The targets of the service on two cores, relative to the floors of the same run. */
export interface TargetResult {
  what: string;
  wanted: string;
  got: string;
  isMet: boolean;
}

/** Undefined if not measured. */
type Measurement = number | undefined;

/** @returns the targets that this run has figures for */
export function targetsOf(results: Results): TargetResult[] {
  return [
    ...answerTargets(results),
    ...liveTargets(results),
    ...readTargets(results),
    ...moveTargets(results),
    ...workflowTargets(results),
  ];
}

function answerTargets(results: Results): TargetResult[] {
  const { burst } = results;
  const floor = (concurrency: number) => answersOf(results, 'floor', concurrency);
  const [one, few, many] = [1, 16, 64].map(
    (concurrency) => saleOf(results, 'TEST', concurrency)?.answers,
  );
  return [
    atLeast('answers at 16, of the floor', 0.35, rateRatio(few, floor(16))),
    atLeast('answers at 64, of the floor', 0.35, rateRatio(many, floor(64))),
    atMost('p50 one at a time, of the floor', 3, ratio(one?.p50, floor(1)?.p50)),
    below('p95 at 64, in ms', 400, many?.p95),
    atMost('refusals at 64', 0, many && refusals(many)),
    atMost('refusals within the burst', 0, burst && refusals(burst.window.answers)),
    atMost('faults the audit finds', 0, burst?.faults),
  ].flat();
}

/** LIVE compared with TEST, with the same number of workers. */
function liveTargets(results: Results): TargetResult[] {
  return ['', ', two workers'].flatMap((workers) => {
    const [live, test] = ['LIVE', 'TEST'].map((mode) => saleOf(results, `${mode}${workers}`, 64));
    return [
      atLeast(
        `LIVE${workers}: answers at 64, of TEST`,
        0.8,
        rateRatio(live?.answers, test?.answers),
      ),
      atLeast(
        `LIVE${workers}: completed, of TEST`,
        0.8,
        ratio(live?.completedPerSecond, test?.completedPerSecond),
      ),
    ].flat();
  });
}

function readTargets(results: Results): TargetResult[] {
  const [koa, replays, usage] = (['bare Koa', 'replays', 'GET usage'] as const).map((what) =>
    answersOf(results, what, 16),
  );
  return [
    atLeast('replays at 16, of bare Koa', 0.4, rateRatio(replays, koa)),
    atLeast('GET usage at 16, of bare Koa', 0.15, rateRatio(usage, koa)),
  ].flat();
}

/** Refunds and claims, compared with their floors. */
function moveTargets(results: Results): TargetResult[] {
  const each = (['refund', 'claim'] as const).flatMap((one) => {
    const all = `${one}s` as const;
    const floor = (concurrency: number) => answersOf(results, `${one} floor`, concurrency);
    const ours = (concurrency: number) => answersOf(results, all, concurrency);
    const waiting = answersOf(results, `${all}, purchases waiting`, 16);
    const stopped = answersOf(results, `${all}, Temporal stopped`, 16);
    const carriedOut = results.moves?.carriedOut.find(({ what }) => what === all)?.perSecond;
    return [
      atLeast(`${all} at 16, of their floor`, 0.5, rateRatio(ours(16), floor(16))),
      atLeast(`${all} at 64, of their floor`, 0.5, rateRatio(ours(64), floor(64))),
      atMost(`${all}: p50 one at a time, of the floor`, 3, ratio(ours(1)?.p50, floor(1)?.p50)),
      below(`${all}: p95 at 64, in ms`, 500, ours(64)?.p95),
      atLeast(`${all}, purchases waiting, of their floor`, 0.5, rateRatio(waiting, floor(16))),
      atLeast(`${all}, Temporal stopped, of their floor`, 0.5, rateRatio(stopped, floor(16))),
      atMost(`${all} refused`, 0, sumOfRefusals([ours(1), ours(16), ours(64), waiting, stopped])),
      atLeast(`${all} carried out a second`, 30, carriedOut),
    ];
  });
  const others = atMost(
    'another partner’s LIVE purchase, TEST ones waiting: begun after ms',
    2_000,
    results.moves?.otherBeginsMs,
  );
  return [...each, others].flat();
}

/** Undefined if nothing was measured. */
function sumOfRefusals(all: readonly (Answers | undefined)[]): Measurement {
  const measured = all.filter((one) => one !== undefined);
  if (measured.length === 0) return undefined;
  return measured.reduce((sum, one) => sum + refusals(one), 0);
}

function workflowTargets(results: Results): TargetResult[] {
  const { emptyWorkflowsPerSecond, history, burst } = results;
  const completed = burst?.window ?? saleOf(results, 'TEST', 64);
  return [
    atLeast(
      'completed, of empty workflows',
      0.9,
      ratio(completed?.completedPerSecond, emptyWorkflowsPerSecond),
    ),
    atMost('API and worker, ms of CPU a purchase', 12, completed && ownCpuMs(completed)),
    atMost('events in an unclaimed history', 12, history?.events),
    atMost('workflow tasks in it', 1, history?.workflowTasks),
    below('worker after the burst, in MB', 500, burst && burst.workerBytes / 1e6),
  ].flat();
}

function ownCpuMs(sale: PurchaseWindow): Measurement {
  const [api, worker] = [cpuMsOf(sale, 'API'), cpuMsOf(sale, 'worker')];
  return api === undefined || worker === undefined ? undefined : api + worker;
}

function rateRatio(ours: Answers | undefined, floor: Answers | undefined): Measurement {
  return ratio(ours && perSecond(ours), floor && perSecond(floor));
}

/** @returns NaN, which misses every target, if the floor is zero */
function ratio(ours: Measurement, floor: Measurement): Measurement {
  if (ours === undefined || floor === undefined) return undefined;
  return floor === 0 ? Number.NaN : ours / floor;
}

const atLeast = (what: string, bound: number, got: Measurement) =>
  target(what, `≥ ${bound}`, got, (value) => value >= bound);
const atMost = (what: string, bound: number, got: Measurement) =>
  target(what, `≤ ${bound}`, got, (value) => value <= bound);
const below = (what: string, bound: number, got: Measurement) =>
  target(what, `< ${bound}`, got, (value) => value < bound);

/** Empty if not measured. */
function target(
  what: string,
  wanted: string,
  got: Measurement,
  isMet: (value: number) => boolean,
): TargetResult[] {
  return got === undefined ? [] : [{ what, wanted, got: figure(got), isMet: isMet(got) }];
}
