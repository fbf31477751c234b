import { DefaultLogger, Runtime } from '@temporalio/worker';
import { useLeanWorkflowThreads } from '../../worker/workflow-threads.ts';

/** The SDK's runtime, of which a process has only one: logs only errors. Its workflow threads are as in production. */
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
useLeanWorkflowThreads();
