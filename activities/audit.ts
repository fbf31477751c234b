import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { runAudit as auditBooks } from '../models/audit/index.ts';
import type { ActivityDeps } from './deps.ts';

export function auditActivities({ models, checkpoints }: ActivityDeps) {
  return {
    /**
     * Audits the ledgers of all partners. A retry is a new audit.
     * @returns the result as a sentence; the full result is stored in `audit_runs`
     */
    async runAudit(): Promise<{ summary: string; faults: number }> {
      const cancelled = cancellationSignal();
      const { summary, faults } = await auditBooks(
        { models, checkpoints },
        {
          onProgress(what) {
            cancelled.throwIfAborted();
            heartbeat(what);
          },
        },
      );
      return { summary, faults };
    },
  };
}
