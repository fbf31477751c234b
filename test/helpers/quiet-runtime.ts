import { DefaultLogger, Runtime } from '@temporalio/worker';

/** The SDK's runtime, of which a process has only one: logs only errors. */
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
