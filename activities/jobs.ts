import { ApplicationFailure, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { JobRef } from '../domain/job.ts';
import { PartnerIsBusyError, runJob } from '../models/jobs/index.ts';
import type { ActivityDeps } from './deps.ts';

export function jobActivities({ models }: Pick<ActivityDeps, 'models'>) {
  return {
    /**
     * Does what a partner asked for; a repeat begins anew, and finds one that is over. While another of
     * the partner's is running, it is tried again soon: the worker's places are for all partners.
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
