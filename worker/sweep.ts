import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { type Mode, modes } from '../domain/mode.ts';
import { roundRobin } from '../domain/round-robin.ts';
import type { Lease } from '../models/store/leases.ts';
import type { Pending } from '../models/store/pending.ts';
import type { Logger } from '../platform/logger.ts';
import { createAdaptiveLimit } from './adaptive-limit.ts';
import type { PendingWork } from './pending-work.ts';
import { createStartTracker } from './start-tracker.ts';

/** How often to look while another process sweeps or a server is unavailable. */
const seldomMs = 1_000;
/** How often to check whether started workflows have begun. */
const pollMs = 50;

/** Concurrent starts, and started workflows that no worker has picked up yet. */
export interface StartLimits {
  maxInFlight: number;
  maxUnbegun: number;
}

/**
 * Of each worker process, for the sweep and for the reconciliation. Four starts at a time keep a
 * server busy, and twenty-five a worker; with more, an overloaded machine only gets slower
 * (docs/decisions/002).
 */
export const startLimits: StartLimits = { maxInFlight: 4, maxUnbegun: 25 };

/** LIVE before TEST. */
const inOrder = [...modes].sort() as readonly Mode[];

/**
 * Starts and signals workflows for everything pending: purchases that have not begun, and whatever
 * else was lost. LIVE goes before TEST, and within each, partners take turns, so that one partner's
 * burst does not delay another's purchases; those of one partner go in order of arrival. A burst
 * waits in the database, where it costs an index entry, and not in Temporal: each worker process
 * has only so many in progress at a time. What fails or never begins is retried at growing
 * intervals, and does not count against that limit.
 *
 * One of several worker processes sweeps at a time. If two ever do, a workflow is still started
 * once.
 */
export function startSweep(
  work: readonly PendingWork[],
  lease: Lease,
  log: Pick<Logger, 'warn'>,
  { maxInFlight, maxUnbegun }: StartLimits = startLimits,
) {
  let isStopped = false;
  const stopping = new AbortController();
  const pause = (ms: number) =>
    delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function run(kind: PendingWork): Promise<void> {
    const { name, queue, afterMs, everyMs, share, lateMs, begin } = kind;
    const tracker = createStartTracker(lateMs);
    const adaptiveLimit = createAdaptiveLimit(Math.ceil(maxUnbegun * share));
    /** The partner whose turn was last. */
    const lastTurn = new Map<Mode, string>();
    let isUnavailable = false;
    let lookedAtAllMs = 0;

    while (!isStopped) {
      try {
        await pause((await lease.hold()) ? await takeTurns() : seldomMs);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, `pending ${name} could not be read; retrying`);
        await pause(seldomMs);
      }
    }

    /** @returns milliseconds until the next look */
    async function takeTurns(): Promise<number> {
      const nowMs = Date.now();
      await forgetBegun(nowMs);
      const most = adaptiveLimit.places() * lease.contenders();
      const inProgress = tracker.inProgress(nowMs).length;
      const places = most - inProgress;
      // Starting a few costs as many reads as starting many.
      if (inProgress > 0 && places < most / 2) return pollMs;
      const next = (await queue.isEmpty()) ? [] : await nextInTurns(places, nowMs);
      if (next.length === 0) return inProgress > 0 ? pollMs : everyMs;
      return (await beginAll(next)) ? pollMs : seldomMs;
    }

    async function nextInTurns(places: number, nowMs: number): Promise<Pending[]> {
      const before = new Date(nowMs - afterMs);
      const next: Pending[] = [];
      for (const mode of inOrder) {
        const left = places - next.length;
        if (left > 0) next.push(...(await nextOf(mode, before, left, nowMs)));
      }
      return next;
    }

    async function forgetBegun(nowMs: number): Promise<void> {
      const isAll = nowMs - lookedAtAllMs >= seldomMs;
      if (isAll) lookedAtAllMs = nowMs;
      const checked = isAll ? tracker.all() : tracker.inProgress(nowMs);
      const pending = await queue.stillPending(checked);
      const begun = checked.filter(({ _id }) => !pending.has(_id));
      for (const { failures, firstMs } of begun) {
        if (failures === 0) adaptiveLimit.note(nowMs - firstMs, nowMs);
      }
      // If nothing begins at all, the one that has waited longest shows how slow it is.
      const [oldest] = tracker.inProgress(nowMs);
      if (begun.length === 0 && oldest) adaptiveLimit.noteSlow(nowMs - oldest.firstMs, nowMs);
      tracker.begun(begun.map(({ _id }) => _id));
    }

    /** What to start next in one mode, with partners taking turns. */
    async function nextOf(mode: Mode, before: Date, places: number, nowMs: number) {
      const last = lastTurn.get(mode) ?? '';
      const after = await queue.partners(mode, before, last, places);
      const again =
        last === '' ? [] : await queue.partners(mode, before, '', places - after.length);
      const partners = [...new Set([...after, ...again])];
      const share = Math.ceil(places / Math.max(1, partners.length));
      const lists = await Promise.all(
        partners.map(async (partnerId) => {
          const limit = share + tracker.countOf(partnerId);
          const oldest = await queue.oldestOf(mode, partnerId, before, limit);
          return oldest.filter((doc) => tracker.isDue(doc, nowMs));
        }),
      );
      const next = roundRobin(lists, places);
      const lastLooked = partners.length >= places ? partners.at(-1) : next.at(-1)?.partnerId;
      if (lastLooked !== undefined) lastTurn.set(mode, lastLooked);
      return next;
    }

    /** @returns false if every start failed, which means that Temporal is unavailable */
    async function beginAll(docs: readonly Pending[]): Promise<boolean> {
      let succeeded = 0;
      let failed = 0;
      let reason = '';
      await pMap(
        docs,
        async (doc) => {
          if (isStopped || (succeeded === 0 && failed >= maxInFlight)) return;
          try {
            const mayBeEager = tracker.eagerInProgress(Date.now()) < adaptiveLimit.places();
            const isEager = await begin(doc, mayBeEager);
            succeeded += 1;
            tracker.started(doc, isEager, Date.now());
          } catch (error) {
            failed += 1;
            reason = error instanceof Error ? error.message : String(error);
            tracker.failed(doc, Date.now());
          }
        },
        { concurrency: maxInFlight },
      );
      if (failed > 0) {
        log.warn({ failed, reason }, `pending ${name} could not be started; retrying`);
      }
      if (isUnavailable && succeeded > 0) tracker.retryAll();
      isUnavailable = failed > 0 && succeeded === 0;
      return !isUnavailable;
    }
  }

  const running = work.map(run);
  return {
    async stop(): Promise<void> {
      isStopped = true;
      stopping.abort();
      await Promise.all(running);
      // If this fails, the lease expires.
      await lease.release().catch(() => undefined);
    },
  };
}
