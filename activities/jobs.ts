import { ApplicationFailure, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { JobRef } from '../domain/job.ts';
import { PartnerIsBusyError, runJob } from '../models/jobs/index.ts';
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
