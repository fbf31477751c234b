import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

/**
 * Installs the SDK's runtime, of which a process has only one. It logs only errors, because tests provoke the
 * causes of its warnings.
 */
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: {
    logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) },
  },
  shutdownSignals: [],
});
