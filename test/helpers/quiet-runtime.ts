import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { useLeanWorkflowThreads } from '../../worker/workflow-threads.ts';

/**
 * The SDK's runtime, of which a process has only one: logs only errors, since tests provoke what it
 * warns of. Its workflow threads are as in production.
 */
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: {
    logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) },
  },
  shutdownSignals: [],
});
useLeanWorkflowThreads();
