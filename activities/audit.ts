import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { runAudit as auditBooks } from '../models/audit/index.ts';
import type { ActivityDeps } from './deps.ts';

export function auditActivities({ models, ledger, usage, checkpoints }: ActivityDeps) {
  return {
    /**
     * Audits the books of all partners; a repeat is one more audit.
     * @returns the result in a sentence; what it found in full stands in `audit_runs`
     */
    async runAudit(): Promise<{ summary: string; faults: number }> {
      const cancelled = cancellationSignal();
      const { summary, faults } = await auditBooks(
        { models, ledger, usage, checkpoints },
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
