import type { PurchaseSignal } from '../domain/workflow-names.ts';
import type { Logger } from '../platform/logger.ts';
import { keepTrace } from '../platform/tracing.ts';
import type { Messenger } from './messenger.ts';
import type { PurchaseHeading } from './purchase-start.ts';

export type PurchaseStarter = ReturnType<typeof createPurchaseStarter>;

export interface StarterLimits {
  /** How many messages are on their way at a time. */
  maxInFlight: number;
  /** How many more may wait here for their turn. */
  maxWaiting: number;
}

interface Waiting {
  workflowId: string;
  send(): Promise<void>;
}

/**
 * Tells the workflows of purchases what happened, behind the answer and a bounded number at a time. What
 * finds no place here, or fails, stays marked: the sweep of a worker takes it up.
 */
export function createPurchaseStarter(
  { signalPurchase, completeReview }: Pick<Messenger, 'signalPurchase' | 'completeReview'>,
  { maxInFlight, maxWaiting }: StarterLimits,
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
      log.warn({ workflowId, reason }, 'a workflow was not reached; the sweep will reach it');
    }
  }

  function queue(message: Waiting): boolean {
    if (waiting.length >= maxWaiting) return false;
    waiting.push({ ...message, send: keepTrace(message.send) });
    next();
    return true;
  }

  return {
    /** Tells a purchase's workflow what happened, when there is a place. @returns whether it was taken */
    signal: (purchase: PurchaseHeading, signal: PurchaseSignal): boolean =>
      queue({ workflowId: purchase.workflowId, send: () => signalPurchase(purchase, signal) }),

    /** Completes the activity by which a decided review is before the operators; else wakes its workflow. */
    decided: (purchase: PurchaseHeading, reviewId: string): boolean =>
      queue({
        workflowId: purchase.workflowId,
        async send() {
          if (await completeReview(purchase.workflowId, reviewId)) return;
          await signalPurchase(purchase, 'decided');
        },
      }),

    /** Resolves once nothing is on its way; what still waits for a place is left to the sweep. */
    async stop(): Promise<void> {
      waiting.length = 0;
      await Promise.all(inFlight);
    },
  };
}
