import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { growLog, signHead } from '../models/receipts/sign-log.ts';
import type { ActivityDeps } from './deps.ts';

export function receiptActivities(deps: ActivityDeps) {
  return {
    /**
     * Appends all LIVE entries to the log of receipts, and signs its head. A repeat goes on from what is stored.
     * @param at when the workflow began, ISO 8601: what is older is under the head
     * @returns how many entries the head covers
     */
    async signLedger(at: string): Promise<number> {
      const cancelled = cancellationSignal();
      await growLog(deps, () => {
        cancelled.throwIfAborted();
        heartbeat();
      });
      return await signHead(deps, new Date(at));
    },
  };
}
