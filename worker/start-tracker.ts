import type { Pending } from '../models/store/pending.ts';

/** Starts that have not begun after this time are repeated, because Temporal may have lost them. */
const restartAfterMs = 10_000;
/** The pause after a failed start, doubled with each failure. */
const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** Maximum number of tracked failing starts of one partner, which bounds the memory. */
const maxLateOfPartner = 500;

interface TrackedStart extends Pending {
  firstMs: number;
  /** When it may be started again. */
  nextMs: number;
  failures: number;
  isEager: boolean;
}

const markOf = ({ _id, partnerId, pendingSince }: Pending): Pending => ({
  _id,
  partnerId,
  ...(pendingSince && { pendingSince }),
});

/**
 * Tracks the starts of a sweep, including failed ones, until their workflows have begun.
 * @param lateMs starts that have not begun after this time no longer count against the limit
 */
export function createStartTracker(lateMs: number) {
  const all = new Map<string, TrackedStart>();
  const isLate = ({ failures, firstMs }: TrackedStart, nowMs: number) =>
    failures > 0 || nowMs - firstMs > lateMs;
  const listed = (nowMs: number, isWanted: (one: TrackedStart) => boolean) =>
    [...all.values()].filter((one) => !isLate(one, nowMs) && isWanted(one));

  return {
    /** The starts that count against the limit: neither late nor failed. */
    inProgress: (nowMs: number): TrackedStart[] => listed(nowMs, () => true),
    eagerInProgress: (nowMs: number): number => listed(nowMs, ({ isEager }) => isEager).length,
    all: (): TrackedStart[] => [...all.values()],
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
      const nextMs = nowMs + restartAfterMs;
      all.set(pending._id, { ...markOf(pending), firstMs, nextMs, failures: 0, isEager });
    },

    failed(pending: Pending, nowMs: number): void {
      const { _id } = pending;
      const before = all.get(_id);
      const failures = (before?.failures ?? 0) + 1;
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
      const firstMs = before?.firstMs ?? nowMs;
      all.set(_id, {
        ...markOf(pending),
        firstMs,
        nextMs: nowMs + pauseMs,
        failures,
        isEager: false,
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
