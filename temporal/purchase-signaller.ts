import type { PurchaseSignal } from '../domain/workflow-names.ts';
import type { Logger } from '../platform/logger.ts';
import { bindToTrace } from '../platform/tracing.ts';
import type { Messenger } from './messenger.ts';
import type { PurchaseWorkflowRef } from './purchase-start.ts';

export type PurchaseSignaller = ReturnType<typeof createPurchaseSignaller>;

export interface SignallerLimits {
  /** The most concurrent calls to Temporal. */
  maxInFlight: number;
  /** The most calls that may wait for one of these slots. */
  maxWaiting: number;
}

interface Waiting {
  workflowId: string;
  send(): Promise<void>;
}

/**
 * Signals purchase workflows after the response has been sent, a bounded number at a time. Whatever
 * finds no slot or fails stays pending, and a worker's sweep takes it up.
 */
export function createPurchaseSignaller(
  { signalPurchase, completeReview }: Pick<Messenger, 'signalPurchase' | 'completeReview'>,
  { maxInFlight, maxWaiting }: SignallerLimits,
  log: Pick<Logger, 'warn'>,
) {
  const waiting: Waiting[] = [];
  const inFlight = new Set<Promise<void>>();

  function next(): void {
    while (inFlight.size < maxInFlight) {
      const message = waiting.shift();
      if (message === undefined) return;
      const sent: Promise<void> = deliver(message).finally(() => {
        inFlight.delete(sent);
        next();
      });
      inFlight.add(sent);
    }
  }

  async function deliver({ workflowId, send }: Waiting): Promise<void> {
    try {
      await send();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ workflowId, reason }, 'a workflow could not be signalled; the sweep will retry');
    }
  }

  function queue(message: Waiting): boolean {
    if (waiting.length >= maxWaiting) return false;
    waiting.push({ ...message, send: bindToTrace(message.send) });
    next();
    return true;
  }

  return {
    /** Signals a purchase's workflow if a slot is free. @returns whether it was queued */
    signal: (purchase: PurchaseWorkflowRef, signal: PurchaseSignal): boolean =>
      queue({ workflowId: purchase.workflowId, send: () => signalPurchase(purchase, signal) }),

    /**
     * Completes the activity that waits for a review's decision, or signals the workflow if there
     * is none.
     */
    reviewDecided: (purchase: PurchaseWorkflowRef, reviewId: string): boolean =>
      queue({
        workflowId: purchase.workflowId,
        async send() {
          if (await completeReview(purchase.workflowId, reviewId)) return;
          await signalPurchase(purchase, 'decided');
        },
      }),

    /** Resolves once no call is in progress. Those that are waiting are left to the sweep. */
    async stop(): Promise<void> {
      waiting.length = 0;
      await Promise.all(inFlight);
    },
  };
}
