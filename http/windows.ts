import { LRUCache } from 'lru-cache';

export interface WindowTerms {
  /** How many are let through in a window. */
  limit: number;
  windowMs: number;
  /** The key heard of longest ago is forgotten for a new one past this, so that memory lasts. */
  tableSize?: number;
  /** Milliseconds that only go forward, from any beginning. */
  elapsedMs?: () => number;
}

/** Whether one more is let through, and when the window is over. */
export interface Passage {
  isGranted: boolean;
  resetSeconds: number;
}

const maxKeys = 50_000;

/**
 * Counts by a key in windows that begin with the first use. Each process counts for itself: it protects
 * the process, and bounds what can be tried.
 */
export function createWindows({
  limit,
  windowMs,
  tableSize = maxKeys,
  elapsedMs = () => performance.now(),
}: WindowTerms) {
  let table: LRUCache<string, { count: number; endsAtMs: number }> | undefined;
  /** Made with its first key, since it takes the room for all of them at once. */
  const windowsByKey = () => {
    table ??= new LRUCache({ max: tableSize });
    return table;
  };
  return {
    /** Takes one of the key's uses. */
    take(key: string): Passage {
      const nowMs = elapsedMs();
      const windows = windowsByKey();
      let window = windows.get(key);
      if (!window || nowMs >= window.endsAtMs) {
        window = { count: 0, endsAtMs: nowMs + windowMs };
        windows.set(key, window);
      }
      window.count++;
      const resetSeconds = Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000));
      return { isGranted: window.count <= limit, resetSeconds };
    },
    /** Forgets what was taken under a key. */
    clear(key: string): void {
      table?.delete(key);
    },
  };
}

export type Windows = ReturnType<typeof createWindows>;
