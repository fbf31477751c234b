import type { LogEvent, LogPart, LogQuery } from '../../portal-client.ts';

const partRows = 500;
/** Requests are stored with a short delay, so the newest ones are read again. */
const overlapMs = 10_000;
/** The count of a row keeps growing until its minute is over. */
const longOverlapMs = 75_000;
const roundsBetweenLong = 20;
/** Sorts before every id. */
const beginning = `iev_${'0'.repeat(26)}`;

export interface FollowTerms {
  /** Reads a part of the log, with retries. */
  read: (query: LogQuery) => Promise<LogPart>;
  /** Waits until the next read. @returns false once the command ends */
  next: () => Promise<boolean>;
}

/**
 * New requests, each once, in the order in which they are found. When the count of a row grows, the row is
 * yielded again with the additional count.
 */
export async function* follow({ read, next }: FollowTerms): AsyncGenerator<LogEvent> {
  const seen = new Map<string, { count: number; atMs: number }>();
  const remember = ({ id, count, receivedAt }: LogEvent): void => {
    seen.set(id, { count, atMs: Date.parse(receivedAt) });
  };
  const before = await read({ limit: partRows });
  before.events.forEach(remember);
  /** The counts of older rows were final when they were last read. */
  let oldest = before.next ?? beginning;

  for (let round = 1; await next(); round++) {
    const isLong = round % roundsBetweenLong === 0;
    let place: string | null = isLong ? oldest : (placeBefore(seen, overlapMs) ?? oldest);
    while (place !== null) {
      const part: LogPart = await read({ newer: place, limit: partRows });
      for (const event of part.events) {
        const count = event.count - (seen.get(event.id)?.count ?? 0);
        remember(event);
        if (count > 0) yield { ...event, count };
      }
      place = part.next;
    }
    if (!isLong) continue;
    oldest = placeBefore(seen, longOverlapMs) ?? oldest;
    for (const id of seen.keys()) if (id < oldest) seen.delete(id);
  }
}

/** The newest id that is older than the newest by at least this time; undefined without one. */
function placeBefore(
  seen: ReadonlyMap<string, { atMs: number }>,
  byMs: number,
): string | undefined {
  const newestMs = [...seen.values()].reduce((latest, { atMs }) => Math.max(latest, atMs), 0);
  let place: string | undefined;
  for (const [id, { atMs }] of seen) {
    if (newestMs - atMs >= byMs && (place === undefined || id > place)) place = id;
  }
  return place;
}
