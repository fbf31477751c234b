import { DefaultLogger, Runtime } from '@temporalio/worker';

/** The SDK's own part of a test process, which it has once: it says only what went wrong. */
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
