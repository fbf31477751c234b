import { idBound } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import { insertMissing } from '../store/insert-once.ts';
import { raiseWatermark, readWatermark } from '../store/watermarks.ts';
import { type Accepted, loggedRequestOf, rowIdOfEvent } from './request-log.ts';

/** How far the log was completed from the events, so that no run reads what an earlier one did. */
const completedUpTo = 'request log completed';
const minuteMs = 60_000;
/** An API writes its rows within seconds. */
const leftAloneMs = minuteMs;
/** Clocks of processes differ by less; a day is looked at when nothing was before. */
const overlapMs = 10 * minuteMs;
const firstMs = 24 * 60 * minuteMs;
const pageSize = 500;

/**
 * Writes the rows of accepted requests that a killed process left out, from the events, page by page. Safe to
 * repeat.
 * @returns how many
 */
export async function completeRequestLog(models: Models, nowMs: number): Promise<number> {
  const end = new Date(nowMs - leftAloneMs);
  const done = await readWatermark(models, completedUpTo);
  const from = idBound('event', done ? done.getTime() - overlapMs : nowMs - firstMs);
  const upTo = idBound('event', end.getTime());
  const between = (after: string) => ({ _id: { $gt: after, $lt: upTo } });
  const pagesOf = [
    (after: string) => models.orderEvents.find(between(after)).sort({ _id: 1 }).limit(pageSize),
    async (after: string) => {
      const events = models.redemptionEvents.find(between(after)).sort({ _id: 1 }).limit(pageSize);
      return (await events).map((event) => ({ ...event, type: 'REDEMPTION' as const }));
    },
  ];
  let written = 0;
  for (const pageAfter of pagesOf) {
    for (let last: string | undefined = from; last !== undefined; ) {
      const events: Accepted[] = await pageAfter(last);
      written += await writeMissing(models, events);
      last = events.at(-1)?._id;
    }
  }
  await raiseWatermark(models, completedUpTo, end);
  return written;
}

async function writeMissing(models: Models, events: readonly Accepted[]): Promise<number> {
  if (events.length === 0) return 0;
  const found = await models.requestLog.find(
    {
      partnerId: { $in: events.map(({ partnerId }) => partnerId) },
      _id: { $in: events.map(({ _id }) => rowIdOfEvent(_id)) },
    },
    { _id: 1 },
  );
  const known = new Set(found.map(({ _id }) => _id));
  const missing = events.map(loggedRequestOf).filter(({ _id }) => !known.has(_id));
  await insertMissing(models.requestLog, missing);
  return missing.length;
}
