import { hostname } from 'node:os';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, type RuntimeOptions } from '@temporalio/worker';
import { fundNextRewards } from '../activities/purchases.ts';
import { tellOfRedemption } from '../activities/redemptions.ts';
import type { DueDocument } from '../domain/due-documents.ts';
import { createSendMessage } from '../messaging/send-message.ts';
import { createModels } from '../models/schemas/index.ts';
import { checkKeys } from '../models/store/key-checks.ts';
import { syncOperatorsEndpoint } from '../models/webhooks/operators.ts';
import type { Config } from '../platform/config.ts';
import type { Logger } from '../platform/logger.ts';
import { connectMongo, servingPatienceMs } from '../platform/mongo.ts';
import { runProcess, untilReachable } from '../platform/process.ts';
import { throttle } from '../platform/throttle.ts';
import { connectTemporal } from '../temporal/connection.ts';
import { readSecurity } from '../temporal/security.ts';
import { pollersOf } from '../temporal/task-queues.ts';
import { createTeller, tellAtOnce } from '../temporal/tell.ts';
import { clientInterceptors } from '../temporal/tracing.ts';
import { createActivityDeps } from './deps.ts';
import { startFolderCleaner } from './message-folder.ts';
import { startWorkerMetrics } from './metrics.ts';
import { startRelay } from './relay.ts';
import { createWorkers } from './run.ts';
import { watchSchedules } from './watch-schedules.ts';

/** Temporal is asked at most this often whether this worker polls, however often `/readyz` is. */
const readyPeriodMs = 2_000;
const readyPatienceMs = 4_000;

/** The worker process: connects, runs, and finishes what is in progress on SIGINT or SIGTERM. */
await runProcess('worker', async (config: Config, log: Logger) => {
  const metrics = await startWorkerMetrics(config.metrics, log);
  const runtime: RuntimeOptions = {
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // Expected: the queues of slow work only have activities.
      if (message.startsWith('No workflows registered')) return;
      const { workflowId, activityType, attempt, error } = meta ?? {};
      log[level === 'ERROR' ? 'error' : 'warn'](
        { workflowId, activityType, attempt, err: error },
        message,
      );
    }),
    // Stopping is handled by `runProcess`.
    shutdownSignals: [],
  };
  if (metrics) await metrics.installRuntime(runtime);
  else Runtime.install(runtime);
  const mongo = await untilReachable('MongoDB', log, () =>
    connectMongo(config.mongodbUri, servingPatienceMs),
  );
  metrics?.observePool(mongo);
  const { address } = config.temporal;
  const security = readSecurity(config.temporal);
  const connection = await untilReachable('Temporal', log, () =>
    NativeConnection.connect({ address, ...security }),
  );
  const client = connectTemporal(config.temporal);
  const models = createModels(mongo);
  await checkKeys(models, config);
  // Eager start requires a client on the workers' own connection.
  const starter = new Client({
    connection,
    namespace: config.temporal.namespace,
    interceptors: clientInterceptors(),
  });
  const teller = createTeller(starter, config.temporal.taskQueue);
  const atOnce = tellAtOnce(teller);
  const tell = (due: readonly DueDocument[]): void => {
    atOnce(due);
    relay.wake();
  };
  const deps = createActivityDeps(config, models, client, createSendMessage(config), log, tell);
  await untilReachable('MongoDB', log, () =>
    syncOperatorsEndpoint(models, deps.sealer, config.webhooks.operators, new Date()),
  );
  const workers = await createWorkers(config, deps, connection, metrics?.activityInterceptors);
  const running = workers.run();
  const relay = startRelay({
    models,
    teller,
    fund: (wallet) => fundNextRewards(deps, wallet),
    tellOfRedemption: (redemption) => tellOfRedemption(deps, redemption),
    log,
  });
  const schedules = watchSchedules(client, config.temporal, log);
  const folderCleaner = startFolderCleaner(models, config.mail.messageDir, log);
  metrics?.readyIf(
    throttle(readyPeriodMs, Date.now, () =>
      client.withDeadline(Date.now() + readyPatienceMs, async () => {
        const pollers = await pollersOf(client, config.temporal.taskQueue, Date.now());
        return pollers.includes(`${process.pid}@${hostname()}`);
      }),
    ),
  );
  log.info({ taskQueue: config.temporal.taskQueue }, 'worker is running');
  return {
    ended: running,
    async stop() {
      await Promise.all([relay, schedules, folderCleaner].map((one) => one.stop()));
      workers.shutdown();
      await running;
      // Of activities that took longer than the workers waited.
      await deps.commit.ended();
      await connection.close();
      await mongo.close();
      await metrics?.close();
    },
  };
});
