import { type Answers, errorCount, figure, perSecond } from './figures.ts';
import { ownCpuMsOf } from './purchases.ts';
import { answersOf, type Results, saleOf } from './results.ts';

/** The targets of the service on two cores, relative to the floors of the same run. */
export interface TargetResult {
  what: string;
  target: string;
  measured: string;
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
    atLeast('throughput at concurrency 16, relative to floor', 0.35, rateRatio(few, floor(16))),
    atLeast('throughput at concurrency 64, relative to floor', 0.35, rateRatio(many, floor(64))),
    atMost('p50 at concurrency 1, relative to floor', 3, ratio(one?.p50, floor(1)?.p50)),
    below('p95 at concurrency 64, ms', 400, many?.p95),
    atMost('errors at concurrency 64', 0, many && errorCount(many)),
    atMost('errors during the burst', 0, burst && errorCount(burst.window.answers)),
    atMost('faults found by the audit', 0, burst?.faults),
  ].flat();
}

/** LIVE compared with TEST, with the same number of workers. */
function liveTargets(results: Results): TargetResult[] {
  return ['', ', two workers'].flatMap((workers) => {
    const [live, test] = ['LIVE', 'TEST'].map((mode) => saleOf(results, `${mode}${workers}`, 64));
    return [
      atLeast(
        `LIVE${workers}: throughput at concurrency 64, relative to TEST`,
        0.8,
        rateRatio(live?.answers, test?.answers),
      ),
      atLeast(
        `LIVE${workers}: completed/s, relative to TEST`,
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
    atLeast('replays at concurrency 16, relative to bare Koa', 0.4, rateRatio(replays, koa)),
    atLeast('GET usage at concurrency 16, relative to bare Koa', 0.15, rateRatio(usage, koa)),
  ].flat();
}

/** Refunds and claims, compared with their floors. */
function moveTargets(results: Results): TargetResult[] {
  const each = (['refund', 'claim'] as const).flatMap((one) => {
    const all = `${one}s` as const;
    const floor = (concurrency: number) => answersOf(results, `${one} floor`, concurrency);
    const ours = (concurrency: number) => answersOf(results, all, concurrency);
    const waiting = answersOf(results, `${all}, purchase backlog`, 16);
    const stopped = answersOf(results, `${all}, Temporal stopped`, 16);
    const carriedOut = results.moves?.carriedOut.find(({ what }) => what === all)?.perSecond;
    return [
      atLeast(`${all} at concurrency 16, relative to floor`, 0.5, rateRatio(ours(16), floor(16))),
      atLeast(`${all} at concurrency 64, relative to floor`, 0.5, rateRatio(ours(64), floor(64))),
      atMost(
        `${all}: p50 at concurrency 1, relative to floor`,
        3,
        ratio(ours(1)?.p50, floor(1)?.p50),
      ),
      below(`${all}: p95 at concurrency 64, ms`, 500, ours(64)?.p95),
      atLeast(`${all}, purchase backlog, relative to floor`, 0.5, rateRatio(waiting, floor(16))),
      atLeast(`${all}, Temporal stopped, relative to floor`, 0.5, rateRatio(stopped, floor(16))),
      atMost(`${all}: errors`, 0, sumOfErrors([ours(1), ours(16), ours(64), waiting, stopped])),
      atLeast(`${all} carried out per second`, 30, carriedOut),
    ];
  });
  const others = atMost(
    'start of another partner’s LIVE purchase, TEST backlog, ms',
    2_000,
    results.moves?.otherStartMs,
  );
  return [...each, others].flat();
}

/** Undefined if nothing was measured. */
function sumOfErrors(all: readonly (Answers | undefined)[]): Measurement {
  const measured = all.filter((one) => one !== undefined);
  if (measured.length === 0) return undefined;
  return measured.reduce((sum, one) => sum + errorCount(one), 0);
}

function workflowTargets(results: Results): TargetResult[] {
  const { workflows, history, burst } = results;
  const completed = burst?.window ?? saleOf(results, 'TEST', 64);
  return [
    atLeast('completed/s, relative to empty workflows', 0.9, workflows?.relative.empty.perSecond),
    atLeast(
      'completed/s, relative to workflows with two local activities',
      0.9,
      workflows?.relative.twoActivities.perSecond,
    ),
    atMost('API and worker, CPU ms per purchase', 12, completed && ownCpuMsOf(completed)),
    atMost('history events of an unclaimed purchase', 12, history?.events),
    atMost('workflow tasks of an unclaimed purchase', 1, history?.workflowTasks),
    below('worker memory after the burst, MB', 500, burst && burst.workerBytes / 1e6),
  ].flat();
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
  result(what, `≥ ${bound}`, got, (value) => value >= bound);
const atMost = (what: string, bound: number, got: Measurement) =>
  result(what, `≤ ${bound}`, got, (value) => value <= bound);
const below = (what: string, bound: number, got: Measurement) =>
  result(what, `< ${bound}`, got, (value) => value < bound);

/** Empty if not measured. */
function result(
  what: string,
  target: string,
  got: Measurement,
  isMet: (value: number) => boolean,
): TargetResult[] {
  return got === undefined ? [] : [{ what, target, measured: figure(got), isMet: isMet(got) }];
}
