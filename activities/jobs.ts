import {
  ApplicationFailure,
  activityInfo,
  cancellationSignal,
  heartbeat,
} from '@temporalio/activity';
import { type AuditProgress, progressOfJson, runAudit } from '../audit/index.ts';
import type { JobRef } from '../domain/job.ts';
import { dayMs } from '../domain/utc-days.ts';
import { PartnerIsBusyError, runJob } from '../jobs/index.ts';
import { eraseOldTexts, shortenAddresses } from '../models/store/retention.ts';
import { eraseOldEvents } from '../models/store/sealed-events.ts';
import type { ActivityDeps } from './deps.ts';

export function jobActivities({ models }: Pick<ActivityDeps, 'models'>) {
  return {
    /**
     * Runs a partner's job. A retry starts over, and does nothing for a finished one. While another
     * job of the partner is running, it is retried soon: the worker's slots are shared by all
     * partners.
     */
    async runJob(job: JobRef): Promise<void> {
      const cancelled = cancellationSignal();
      try {
        await runJob({ models, now: Date.now }, job, (progress) => {
          cancelled.throwIfAborted();
          heartbeat(progress);
        });
      } catch (error) {
        if (!(error instanceof PartnerIsBusyError)) throw error;
        throw ApplicationFailure.create({
          type: error.name,
          message: 'another job of this partner is running',
          nextRetryDelay: '5 seconds',
        });
      }
    },
  };
}

export function auditActivities({ models, checkpoints, hashKey, config }: ActivityDeps) {
  return {
    /**
     * Audits the ledgers of all partners. A retry continues after the last partner that was done.
     * @returns the result as a sentence; the full result is stored in `audit_runs`
     */
    async runAudit(): Promise<{ summary: string; faults: number }> {
      const cancelled = cancellationSignal();
      const kept: AuditProgress | undefined = activityInfo().heartbeatDetails;
      let progress = kept && progressOfJson(kept);
      const { summary, faults } = await runAudit(
        { models, checkpoints, hashKey },
        {
          reviewCents: config.approvals?.reviewCents,
          progress,
          onPartner(done) {
            progress = structuredClone(done);
          },
          onProgress() {
            cancelled.throwIfAborted();
            heartbeat(progress);
          },
        },
      );
      return { summary, faults };
    },
  };
}

export function retentionActivities({
  models,
  contactRetentionDays,
}: Pick<ActivityDeps, 'models' | 'contactRetentionDays'>) {
  return {
    /** @returns how many addresses were shortened; a repeat finds those that are left */
    async shortenAddresses(): Promise<number> {
      return await shortenAddresses(models, Date.now());
    },

    /** @returns how many contacts were erased; a repeat finds those that are left */
    async eraseOldContacts(): Promise<number> {
      const now = new Date();
      const before = new Date(now.getTime() - contactRetentionDays * dayMs);
      const texts = await eraseOldTexts(models, before, now);
      return texts + (await eraseOldEvents(models, before, now));
    },
  };
}
