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

/**
 * Starts the workflows of events that are still marked, oldest first: so that a purchase whose start
 * was lost begins, a recorded refund whose workflow was lost is settled, and a burst waits in the
 * database, where it costs an index entry, and not in the engine. The oldest of them are started; more
 * are when half of those have begun. Of several workers one sweeps at a time; where two do, a workflow
 * is started once, whoever starts it.
 */
export function startSweep(
  models: Models,
  lease: Lease,
  { startPurchase }: Pick<Messenger, 'startPurchase'>,
  { afterMs, maxInFlight, maxUnbegun }: Config['sweep'],
  log: Pick<Logger, 'warn'>,
) {
  let isStopped = false;
  /** When this sweep started what has not begun, by the event's id. */
  let startedMs = new Map<string, number>();
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
    const oldest = await findMarked(models, new Date(nowMs - afterMs), maxUnbegun);
    const started = oldest.filter(({ _id }) => nowMs - (startedMs.get(_id) ?? 0) < patienceMs);
    const isMore = oldest.length === maxUnbegun;
    if (isMore && started.length > maxUnbegun / 2) return pollMs;
    startedMs = new Map(started.map(({ _id }) => [_id, startedMs.get(_id) ?? 0]));
    const unstarted = oldest.filter(({ _id }) => !startedMs.has(_id));
    await inFlight(maxInFlight, unstarted, async (event) => {
      if (isStopped) return;
      await startPurchase(event);
      startedMs.set(event._id, Date.now());
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
