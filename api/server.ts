import { close, drain, listen, listenerLimits, portOf } from '../http/listen.ts';
import { createSendMessage } from '../messaging/send-message.ts';
import { createCommit } from '../models/commit.ts';
import { ledgerKey } from '../models/ledger/index.ts';
import { createModels } from '../models/schemas/index.ts';
import { checkKeys } from '../models/store/key-checks.ts';
import { noteApprovalsOff } from '../operations/note-approvals-off.ts';
import { connectMongo, servingPatienceMs } from '../platform/mongo.ts';
import { runProcess, untilReachable } from '../platform/process.ts';
import { createSealer } from '../platform/sealing.ts';
import { connectTemporal } from '../temporal/connection.ts';
import { createMessenger } from '../temporal/messenger.ts';
import { createTeller, tellAtOnce } from '../temporal/tell.ts';
import { createApp } from './app.ts';
import { startApiMetrics } from './metrics.ts';
import { createOperatorApp } from './operator-app.ts';
import { createRefusedRequestBuffer } from './refused-request-buffer.ts';
import { createRequestLog } from './request-log.ts';

/** The API process. */
await runProcess('api', async (config, log) => {
  const mongo = await untilReachable('MongoDB', log, () =>
    connectMongo(config.mongodbUri, servingPatienceMs),
  );
  const temporal = connectTemporal(config.temporal);
  const models = createModels(mongo);
  await checkKeys(models, config);
  const requestLog = createRequestLog({ models, log });
  const sealer = createSealer(config.masterKeys);
  const refusedRequestBuffer = createRefusedRequestBuffer({ models, sealer, log });
  const messenger = createMessenger(temporal, config.temporal.taskQueue);
  const commit = createCommit({
    models,
    hashKey: ledgerKey(config.customerHashKey),
    now: Date.now,
    tell: tellAtOnce(createTeller(temporal, config.temporal.taskQueue)),
  });
  const own = {
    config,
    models,
    messenger,
    commit,
    temporal,
    sealer,
    sendMessage: createSendMessage(config),
    log,
    now: () => Date.now(),
  };
  void noteApprovalsOff(own).catch((error: unknown) => {
    log.error({ err: error }, 'could not record that approvals are off');
  });
  const metrics = await startApiMetrics(own);
  const deps = { ...own, recordRequests: metrics?.recordRequests };
  const { host: apiHost, port: apiPort, trustedProxies, keepAliveTimeoutMs } = config.http;
  const server = await listen(
    createApp(deps, requestLog, refusedRequestBuffer),
    apiHost,
    apiPort,
    listenerLimits(trustedProxies, keepAliveTimeoutMs),
    log,
  );
  log.info({ host: apiHost, port: portOf(server) }, 'API is listening');
  const { host: adminHost, port: adminPort } = config.admin;
  const adminServer = await listen(
    createOperatorApp(deps),
    adminHost,
    adminPort,
    listenerLimits(config.admin.trustedProxies, keepAliveTimeoutMs),
    log,
  );
  log.info({ host: adminHost, port: portOf(adminServer) }, 'operators’ API is listening');
  return {
    ended: new Promise(() => undefined),
    async stop() {
      await Promise.all([drain(server), drain(adminServer)]);
      await Promise.all([close(server), close(adminServer)]);
      // Of clients that did not wait for their response.
      await commit.ended();
      await metrics?.close();
      await requestLog.flush();
      await refusedRequestBuffer.flush();
      await mongo.close();
    },
  };
});
