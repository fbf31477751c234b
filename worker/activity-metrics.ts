import { Counter, type Registry } from '@prometheus-io/client';
import { CompleteAsyncError } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { metricPrefix } from '../platform/metrics.ts';

/** Counts the activity attempts of this process, including local ones, by type and outcome. */
export function activityMetrics(registry: Registry): ActivityInterceptorsFactory {
  const activities = new Counter({
    name: `${metricPrefix}activities_total`,
    help: 'Attempts of activities, by type: done, failed, cancelled, or open (completed from outside)',
    labelNames: ['activity', 'outcome'],
    registers: [registry],
  });
  return ({ info }) => ({
    inbound: {
      async execute(input, next) {
        try {
          const result = await next(input);
          activities.inc({ activity: info.activityType, outcome: 'done' });
          return result;
        } catch (error) {
          activities.inc({ activity: info.activityType, outcome: outcomeOf(error) });
          throw error;
        }
      },
    },
  });
}

function outcomeOf(error: unknown): 'open' | 'cancelled' | 'failed' {
  if (error instanceof CompleteAsyncError) return 'open';
  return error instanceof CancelledFailure ? 'cancelled' : 'failed';
}
