import { LRUCache } from 'lru-cache';
import { type PermitBlock, type PermitRequest, windowMs } from '../models/rate-limits.ts';

/** What a request is told: whether it may pass, and how its credential stands. */
export interface Permit {
  isGranted: boolean;
  /**
   * What this process holds, and what nobody had taken when it last asked. With one process that is
   * exact; with several it is at most what is left.
   */
  remaining: number;
  /** Until the window is over. */
  resetMs: number;
}

/** What this process has of one credential's window. */
interface Holding {
  limit: number;
  held: number;
  untaken: number;
  endsAtMs: number;
  /** Requests that wait for the next block. */
  waiting: number;
  refill: Promise<void> | null;
}

/** A credential past this many is forgotten: its permits lie idle until its window is over. */
const maxHoldings = 10_000;

export interface PermitDeps {
  /** Takes a block from the window that all processes share. */
  takeBlock(request: PermitRequest): Promise<PermitBlock>;
  /** Milliseconds that only go forward, from any beginning. */
  elapsedMs(): number;
  /** Told when the shared window is out of reach. */
  onFailure(error: unknown): void;
}

/**
 * Hands out permits from blocks, so that a request rarely costs a write. Every permit comes from the
 * shared window and is used before that window is over, so that the limit holds across processes;
 * what a process holds unused then is lost. While the shared window is out of reach the process
 * counts for itself: the limiter must not take the API down.
 */
export function createPermits({ takeBlock, elapsedMs, onFailure }: PermitDeps) {
  const holdings = new LRUCache<string, Holding>({ max: maxHoldings });

  async function fill(holding: Holding, who: Omit<PermitRequest, 'wanted'>): Promise<void> {
    // The window's end is reckoned from before the question, and so is never too late.
    const askedAtMs = elapsedMs();
    const ownWindow = { granted: who.limit, untaken: 0, leftMs: windowMs };
    const { granted, untaken, leftMs } = await takeBlock({
      ...who,
      wanted: holding.waiting,
    }).catch((error: unknown) => {
      onFailure(error);
      return ownWindow;
    });
    holding.held = granted;
    holding.untaken = untaken;
    holding.endsAtMs = askedAtMs + leftMs;
  }

  return async (who: Omit<PermitRequest, 'wanted'>): Promise<Permit> => {
    const { credentialId, limit } = who;
    let holding = holdings.get(credentialId);
    if (holding?.limit !== limit) {
      holding = { limit, held: 0, untaken: limit, endsAtMs: 0, waiting: 0, refill: null };
      holdings.set(credentialId, holding);
    }
    const isOver = (of: Holding) => elapsedMs() >= of.endsAtMs;
    while (isOver(holding) || (holding.held === 0 && holding.untaken > 0)) {
      const asked = holding;
      asked.waiting++;
      asked.refill ??= Promise.resolve()
        .then(() => fill(asked, who))
        .finally(() => {
          asked.refill = null;
        });
      await asked.refill;
      asked.waiting--;
    }
    const isGranted = holding.held > 0;
    if (isGranted) holding.held--;
    return {
      isGranted,
      remaining: holding.held + holding.untaken,
      resetMs: holding.endsAtMs - elapsedMs(),
    };
  };
}
