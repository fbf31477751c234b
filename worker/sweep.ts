import { setTimeout as delay } from 'node:timers/promises';
import type { Lease } from '../models/leases.ts';
import { findMarked } from '../models/marked-events.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Config } from '../platform/config.ts';
import { inFlight } from '../platform/in-flight.ts';
import type { Logger } from '../platform/logger.ts';
import type { Messenger } from '../platform/messenger.ts';

/** How often a backlog is looked at that is small, that another sweep has, or of which nothing could be started. */
const idleMs = 1_000;
/** How often it is looked at while there is more of it than may be started. */
const pollMs = 50;
/** What was started and has not begun by then is started again: the engine may have lost it. */
const patienceMs = 10_000;
/** What has not begun for so long takes no place from others, up to so many pages of it. */
const usualLateMs = 60_000;
const maxLatePages = 9;

/** When a sweep started what has not begun. */
interface Started {
  firstMs: number;
  lastMs: number;
}

/**
 * Starts the workflows of events that are still marked, oldest first: so that a purchase whose start
 * was lost begins, a recorded refund whose workflow was lost is settled, and a burst waits in the
 * database, where it costs an index entry, and not in the engine. The oldest of them are started; more
 * are when half of those have begun. What fails to begin holds nobody else up for long. Of several
 * workers one sweeps at a time; where two do, a workflow is started once, whoever starts it.
 */
export function startSweep(
  models: Models,
  lease: Lease,
  { startPurchase }: Pick<Messenger, 'startPurchase'>,
  { afterMs, maxInFlight, maxUnbegun }: Config['sweep'],
  log: Pick<Logger, 'warn'>,
  lateMs = usualLateMs,
) {
  let isStopped = false;
  /** By the event's id. */
  const started = new Map<string, Started>();
  const stopping = new AbortController();
  const pause = (ms: number) =>
    delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function run(): Promise<void> {
    while (!isStopped) {
      try {
        await pause((await lease.hold()) ? await startOldest() : idleMs);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, 'marked events could not be taken up; trying again');
        await pause(idleMs);
      }
    }
  }

  /** @returns how long to wait before the next look */
  async function startOldest(): Promise<number> {
    const nowMs = Date.now();
    const late = [...started.values()].filter(({ firstMs }) => nowMs - firstMs > lateMs).length;
    const limit = maxUnbegun + Math.min(late, maxUnbegun * maxLatePages);
    const oldest = await findMarked(models, new Date(nowMs - afterMs), limit);
    const unbegun = new Set(oldest.map(({ _id }) => _id));
    for (const id of started.keys()) if (!unbegun.has(id)) started.delete(id);
    const due = oldest.filter(({ _id }) => nowMs - (started.get(_id)?.lastMs ?? 0) >= patienceMs);
    const isMore = oldest.length === limit;
    if (isMore && due.length < maxUnbegun / 2) return pollMs;
    await inFlight(maxInFlight, due, async (event) => {
      if (isStopped) return;
      await startPurchase(event);
      const lastMs = Date.now();
      started.set(event._id, { firstMs: started.get(event._id)?.firstMs ?? lastMs, lastMs });
    });
    return isMore ? pollMs : idleMs;
  }

  const running = run();
  return {
    async stop(): Promise<void> {
      isStopped = true;
      stopping.abort();
      await running;
      // Who is left to sweep finds out by itself.
      await lease.release().catch(() => undefined);
    },
  };
}
