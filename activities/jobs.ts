import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { JobRef } from '../domain/job.ts';
import { runJob } from '../models/jobs/index.ts';
import type { ActivityDeps } from './deps.ts';

export function jobActivities({ models }: Pick<ActivityDeps, 'models'>) {
  return {
    /** Does what a partner asked for; a repeat begins anew, and finds one that is over. */
    async runJob(job: JobRef): Promise<void> {
      const cancelled = cancellationSignal();
      await runJob({ models, now: Date.now }, job, (progress) => {
        cancelled.throwIfAborted();
        heartbeat(progress);
      });
    },
  };
}
