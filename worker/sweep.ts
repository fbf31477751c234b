import { setTimeout as delay } from 'node:timers/promises';
import { countMarked, findMarked, type MarkedEvent } from '../models/marked-events.ts';
import type { Models } from '../models/schemas/index.ts';
import type { Config } from '../platform/config.ts';
import { inFlight } from '../platform/in-flight.ts';
import type { Logger } from '../platform/logger.ts';
import type { Messenger } from '../platform/messenger.ts';

/** How often an empty backlog is looked at, and one of which nothing could be started. */
const idleMs = 1_000;
/** How long the workflows of a page have to begin, before others are started all the same. */
const pagePatienceMs = 2_000;
const pollMs = 50;

/**
 * Starts the workflows of events that are still marked, oldest first, page after page: so that a
 * purchase whose start was lost begins, a recorded refund whose workflow was lost is settled, and a
 * burst waits in the database, where it costs an index entry, and not in the engine. A page is started
 * when most of the one before has begun. Several workers may sweep at once: a workflow is started
 * once, whoever starts it.
 */
export function startSweep(
  models: Models,
  { startPurchase }: Pick<Messenger, 'startPurchase'>,
  { afterMs, maxInFlight, maxUnbegun }: Config['sweep'],
  log: Pick<Logger, 'warn'>,
) {
  let isStopped = false;
  const stopping = new AbortController();
  const pause = (ms: number) =>
    delay(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function run(): Promise<void> {
    while (!isStopped) {
      try {
        const page = await findMarked(models, new Date(Date.now() - afterMs), maxUnbegun);
        if (page.length === 0) await pause(idleMs);
        else await beginPage(page);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ reason }, 'marked events could not be taken up; trying again');
        await pause(idleMs);
      }
    }
  }

  async function beginPage(page: readonly MarkedEvent[]): Promise<void> {
    await inFlight(maxInFlight, page, async (event) => {
      if (!isStopped) await startPurchase(event);
    });
    const until = Date.now() + pagePatienceMs;
    while (!isStopped && Date.now() < until) {
      if ((await countMarked(models, page)) <= page.length / 2) return;
      await pause(pollMs);
    }
  }

  const running = run();
  return {
    async stop(): Promise<void> {
      isStopped = true;
      stopping.abort();
      await running;
    },
  };
}
