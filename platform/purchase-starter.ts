import type { Logger } from './logger.ts';
import type { Messenger } from './messenger.ts';
import type { PurchaseHeading } from './purchase-start.ts';

export type PurchaseStarter = ReturnType<typeof createPurchaseStarter>;

export interface StarterLimits {
  /** How many starts are on their way at a time. */
  maxInFlight: number;
  /** How many more may wait here for their turn. */
  maxWaiting: number;
}

/**
 * Starts the workflows of purchases that were answered, behind the answer and a bounded number at a
 * time. What finds no place here, or fails, stays marked: the sweep of a worker starts it.
 */
export function createPurchaseStarter(
  { startPurchase }: Pick<Messenger, 'startPurchase'>,
  { maxInFlight, maxWaiting }: StarterLimits,
  log: Pick<Logger, 'warn'>,
) {
  const waiting: PurchaseHeading[] = [];
  const inFlight = new Set<Promise<void>>();

  function next(): void {
    while (inFlight.size < maxInFlight) {
      const purchase = waiting.shift();
      if (purchase === undefined) return;
      const started: Promise<void> = start(purchase).finally(() => {
        inFlight.delete(started);
        next();
      });
      inFlight.add(started);
    }
  }

  async function start(purchase: PurchaseHeading): Promise<void> {
    try {
      await startPurchase(purchase);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(
        { workflowId: purchase.workflowId, reason },
        'a workflow was not started; the sweep will',
      );
    }
  }

  return {
    /** Starts a purchase's workflow when there is a place. @returns whether it was taken */
    begin(purchase: PurchaseHeading): boolean {
      if (waiting.length >= maxWaiting) return false;
      waiting.push(purchase);
      next();
      return true;
    },

    /** Resolves once nothing is on its way; what still waits for a place is left to the sweep. */
    async stop(): Promise<void> {
      waiting.length = 0;
      await Promise.all(inFlight);
    },
  };
}
