import type { LogEvent, LogPart, LogQuery } from '../../portal-client.ts';

const partRows = 500;
/** Requests are written up to a moment after they are received, so the newest are read again. */
const overlapMs = 10_000;
/** A row that counts goes on counting for its minute. */
const longOverlapMs = 75_000;
const roundsBetweenLong = 20;
/** Before every id that there can be. */
const beginning = `iev_${'0'.repeat(26)}`;

export interface FollowTerms {
  /** A part of the log; tries again by itself where that can help. */
  read: (query: LogQuery) => Promise<LogPart>;
  /** Waits until the log is to be looked at again. @returns whether it still is */
  next: () => Promise<boolean>;
}

/**
 * The requests that come from now on, each once, in the order in which they are found. What a row counts
 * besides comes as a row with that count.
 */
export async function* follow({ read, next }: FollowTerms): AsyncGenerator<LogEvent> {
  const seen = new Map<string, { count: number; atMs: number }>();
  const remember = ({ id, count, receivedAt }: LogEvent): void => {
    seen.set(id, { count, atMs: Date.parse(receivedAt) });
  };
  const before = await read({ limit: partRows });
  before.events.forEach(remember);
  /** What stands before it had counted all it would when it was read last. */
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

/** The newest of what was seen that is older than the newest by so much; undefined without any. */
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
