import type { Pending } from '../models/store/pending.ts';

/** What has not begun by then is started again: Temporal may have lost it. */
const patienceMs = 10_000;
/** What has not begun after this long no longer counts against the limit. */
const usualLateMs = 60_000;
/** The pause after a failed start, doubled with each failure. */
const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** The most failing starts of one partner that are tracked, which bounds the memory. */
const maxLateOfPartner = 500;

interface Started extends Pending {
  firstMs: number;
  /** When it may be started again. */
  nextMs: number;
  failures: number;
  isEager: boolean;
}

const markOf = ({ _id, partnerId, pendingSince }: Pending): Pending => ({
  ...{ _id, partnerId },
  ...(pendingSince && { pendingSince }),
});

/** Tracks what a sweep has started, or tried to start, and what has not begun yet. */
export function createStarted(lateMs = usualLateMs) {
  const all = new Map<string, Started>();
  const isLate = ({ failures, firstMs }: Started, nowMs: number) =>
    failures > 0 || nowMs - firstMs > lateMs;
  const listed = (nowMs: number, isWanted: (one: Started) => boolean) =>
    [...all.values()].filter((one) => !isLate(one, nowMs) && isWanted(one));

  return {
    /** What counts against the limit: not what is late or has failed. */
    underWay: (nowMs: number): Started[] => listed(nowMs, () => true),
    underWayHere: (nowMs: number): number => listed(nowMs, ({ isEager }) => isEager).length,
    all: (): Started[] => [...all.values()],
    countOf: (partnerId: string): number =>
      [...all.values()].filter((one) => one.partnerId === partnerId).length,

    /** Whether something pending may be started now. */
    isDue({ _id, partnerId }: Pending, nowMs: number): boolean {
      const before = all.get(_id);
      if (before !== undefined) return nowMs >= before.nextMs;
      const late = [...all.values()].filter(
        (one) => one.partnerId === partnerId && isLate(one, nowMs),
      );
      return late.length < maxLateOfPartner;
    },

    started(pending: Pending, isEager: boolean, nowMs: number): void {
      const firstMs = all.get(pending._id)?.firstMs ?? nowMs;
      const nextMs = nowMs + patienceMs;
      all.set(pending._id, { ...markOf(pending), firstMs, nextMs, failures: 0, isEager });
    },

    failed(pending: Pending, nowMs: number): void {
      const { _id } = pending;
      const before = all.get(_id);
      const failures = (before?.failures ?? 0) + 1;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
      const firstMs = before?.firstMs ?? nowMs;
      all.set(_id, {
        ...{ ...markOf(pending), firstMs, nextMs: nowMs + pauseMs },
        ...{ failures, isEager: false },
      });
    },

    /** Lets everything that failed be retried at once: Temporal is available again. */
    retryAll(): void {
      for (const one of all.values()) if (one.failures > 0) one.nextMs = 0;
    },

    begun(ids: Iterable<string>): void {
      for (const id of ids) all.delete(id);
    },
  };
}
