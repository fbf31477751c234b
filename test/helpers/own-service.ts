import { randomBytes, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { fundNextRewards } from '../../activities/purchases.ts';
import { tellOfRedemption } from '../../activities/redemptions.ts';
import { createApp } from '../../api/app.ts';
import { createOperatorApp } from '../../api/operator-app.ts';
import { createRefusedRequestBuffer } from '../../api/refused-request-buffer.ts';
import { createRequestLog, type RequestLog } from '../../api/request-log.ts';
import { close, listen } from '../../http/listen.ts';
import { isMail, type Mail, type Message, type TextMessage } from '../../messaging/message.ts';
import { createCommit } from '../../models/commit.ts';
import { isDue } from '../../models/schemas/due.ts';
import { createModels } from '../../models/schemas/index.ts';
import { syncOperatorsEndpoint } from '../../models/webhooks/operators.ts';
import { createFirstOperator } from '../../operations/operators.ts';
import { type Config, loadConfig } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { createSealer } from '../../platform/sealing.ts';
import { createPortal } from '../../portal/app.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { createTeller, tellAtOnce } from '../../temporal/tell.ts';
import { createActivityDeps } from '../../worker/deps.ts';
import { startRelay } from '../../worker/relay.ts';
import { createWorkers, type WorkerLimits, type Workers } from '../../worker/run.ts';
import { credentialCacheMs } from './another-api.ts';
import { eventually } from './eventually.ts';
import { inherited } from './inherited.ts';
import { operate } from './operate.ts';
import { patienceMs } from './patience.ts';
import { serviceClient } from './service.ts';
import './quiet-runtime.ts';
import { takeDatabase } from './test-database.ts';

export type OwnService = Awaited<ReturnType<typeof startOwnService>>;

interface OwnServiceOptions {
  /** Called with each message that it sends. */
  onMessage?: (message: Message) => void;
  /** Of processes with their own MongoDB user. */
  uris?: Partial<Record<'api' | 'portal' | 'worker', string>>;
  /** Of the worker. */
  workerLimits?: Partial<WorkerLimits>;
  /** False for a service whose worker the test starts, if it needs one. */
  hasWorker?: boolean;
}

/**
 * Starts a service for one test file: API and worker in this process, with their own database and task
 * queue. For files that configure it differently, stop it, or count all its data; the others share the
 * run's service (`service.ts`), which saves them seconds.
 * @param changes of its environment variables
 */
export async function startOwnService(
  changes: Record<string, string> = {},
  {
    onMessage = () => undefined,
    uris = {},
    workerLimits = {},
    hasWorker = true,
  }: OwnServiceOptions = {},
) {
  const database = changes.MONGODB_URI ? undefined : await takeDatabase();
  const env: Record<string, string> = {
    ...(database && { MONGODB_URI: database.uri }),
    TEMPORAL_ADDRESS: process.env.TEMPORAL_ADDRESS ?? '',
    TEMPORAL_TASK_QUEUE: `test_${randomUUID().slice(0, 8)}`,
    ...inherited(['TEMPORAL_UI_URL', 'WORKFLOW_BUNDLE', 'COMMAND_BUNDLE']),
    MASTER_KEYS: `test1:${randomBytes(32).toString('base64')}`,
    CUSTOMER_HASH_KEY: randomBytes(32).toString('base64'),
    FOUR_EYES: 'off',
    WEBHOOK_ALLOW_LOOPBACK: 'on',
    // The maximum, so that tests do not depend on the speed of a busy machine.
    RESPONSE_TIMEOUT_MS: '30000',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    ...changes,
  };
  const config: Config = loadConfig(env);
  const models = database?.models ?? createModels(await connectMongo(config.mongodbUri));
  const own = { api: models, portal: models, worker: models };
  for (const process of ['api', 'portal', 'worker'] as const) {
    if (uris[process]) own[process] = createModels(await connectMongo(uris[process]));
  }
  const sealer = createSealer(config.masterKeys);
  const log = createLogger('test', config.log);
  const temporal = connectTemporal(config.temporal);
  const native = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '' });
  const mails: Mail[] = [];
  const texts: TextMessage[] = [];
  let isMailAway = false;
  let mailsRefused = 0;
  let nowOffsetMs = 0;

  const sendMessage = async (message: Message): Promise<void> => {
    if (isMailAway) {
      mailsRefused += 1;
      throw new Error('the mail server is unavailable');
    }
    if (isMail(message)) mails.push(message);
    else texts.push(message);
    onMessage(message);
  };
  const activityDeps = createActivityDeps(config, own.worker, temporal, sendMessage, log);
  let workers: Workers;
  let running: Promise<void> | undefined;
  let relay: ReturnType<typeof startRelay>;
  const { namespace, taskQueue } = config.temporal;
  const tellerOn = (client: Client) => createTeller(client, taskQueue);
  const startItsRelay = (): void => {
    relay = startRelay({
      models: own.worker,
      teller: tellerOn(new Client({ connection: native, namespace })),
      fund: (wallet) => fundNextRewards(activityDeps, wallet),
      tellOfRedemption: (redemption) => tellOfRedemption(activityDeps, redemption),
      log,
    });
  };
  const startWorker = async (): Promise<void> => {
    workers = await createWorkers(config, activityDeps, native, [], workerLimits);
    running = workers.run();
    startItsRelay();
    await syncOperatorsEndpoint(
      own.worker,
      activityDeps.sealer,
      config.webhooks.operators,
      new Date(),
    );
  };
  /** Does nothing if no worker is running. */
  const stopWorker = async (): Promise<void> => {
    if (running === undefined) return;
    await relay.stop();
    workers.shutdown();
    await running;
    running = undefined;
  };
  if (hasWorker) await startWorker();

  const requestLog: RequestLog = createRequestLog({
    models: own.api,
    log,
  });
  const refusedRequestBuffer = createRefusedRequestBuffer({ models: own.api, sealer, log });
  const { hashKey, checkpoints, messenger } = activityDeps;
  const now = () => Date.now() + nowOffsetMs;
  const shared = { config, credentialCacheMs, messenger, temporal, sealer, log, now, sendMessage };
  const teller = tellerOn(temporal);
  const told = new Set<Promise<void>>();
  const tell = tellAtOnce({
    tell(one) {
      const telling = teller.tell(one).finally(() => told.delete(telling));
      told.add(telling);
      return telling;
    },
  });
  function depsOf(process: 'api' | 'portal') {
    const its = own[process];
    return {
      ...shared,
      models: its,
      commit: createCommit({ models: its, hashKey, now, tell, patienceMs }),
    };
  }
  const deps = depsOf('api');
  const server = await listen(createApp(deps, requestLog, refusedRequestBuffer), '127.0.0.1', 0);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const adminServer = await listen(createOperatorApp(deps), '127.0.0.1', 0);
  const adminUrl = `http://127.0.0.1:${(adminServer.address() as AddressInfo).port}/admin/v1`;
  /** Started when the first link is opened. */
  let portal: Promise<Server> | undefined;
  const startPortal = () => {
    // All test files of a run share one address, and would reach its limits.
    const limits = { address: 100_000, unknownLinks: 100_000 };
    return listen(
      createPortal({ ...depsOf('portal'), apiUrl: baseUrl }, limits).app,
      '127.0.0.1',
      0,
    );
  };
  async function portalUrl(): Promise<string> {
    portal ??= startPortal();
    return `http://127.0.0.1:${((await portal).address() as AddressInfo).port}`;
  }

  const ada = { name: 'Ada', role: 'admin' as const };
  const { token: adminToken } = await operate({ models, now: Date.now }, createFirstOperator, ada);

  return {
    env,
    baseUrl,
    adminUrl,
    config,
    models,
    commit: deps.commit,
    hashKey,
    checkpoints,
    messenger,
    temporal,
    sealer,
    sendMessage,
    requestLog,
    refusedRequestBuffer,
    activityDeps,
    adminToken,
    mails,
    texts,
    startWorker,
    stopWorker,
    /** Stops the worker's relay, so that what is due stays so. */
    stopRelay: (): Promise<void> => relay.stop(),
    /** Starts it again. */
    startRelay: startItsRelay,
    /** Waits until what the API and the portal tell at once has been told. */
    allTold: () => Promise.allSettled(told),
    setMailAway(isAway: boolean) {
      isMailAway = isAway;
    },
    mailsRefused: () => mailsRefused,
    ...serviceClient({ baseUrl, portalUrl, models, commit: deps.commit, sealer }),
    portalUrl,
    /** Waits until the workflows of all recorded purchases have started. */
    async allStarted(): Promise<void> {
      await eventually(
        async () => !(await models.orderEvents.exists(isDue)),
        'the workflows of all purchases have started',
      );
    },
    /** Moves the API's clock. */
    setClockOffsetMs(offsetMs: number) {
      nowOffsetMs = offsetMs;
    },
    async flushed() {
      await requestLog.flush();
      await refusedRequestBuffer.flush();
      // Waits for the majority: this write matches nothing, but is acknowledged only after all earlier ones.
      await models.watermarks.updateOne({ _id: 'nobody' }, { $set: { at: new Date() } });
    },
    async stop() {
      const servers = [server, adminServer, ...(portal ? [await portal] : [])];
      await Promise.all(servers.map(close));
      await stopWorker();
      await requestLog.flush();
      await refusedRequestBuffer.flush();
      await native.close();
      // A call that is repeated on a closed connection would end the process.
      await Promise.allSettled(told);
      await temporal.connection.close();
      for (const one of Object.values(own)) if (one !== models) await one.connection.close();
      await (database ? database.giveBack() : models.connection.close());
    },
  };
}
