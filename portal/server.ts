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
import { createPortal, uploadTimeoutMs } from './app.ts';
import { startPortalMetrics } from './metrics.ts';
import { createSingleSignOn } from './session/single-sign-on.ts';

/** Entry point of the portal process. */
await runProcess('portal', async (config, log) => {
  const mongo = await untilReachable('MongoDB', log, () =>
    connectMongo(config.mongodbUri, servingPatienceMs),
  );
  const temporal = connectTemporal(config.temporal);
  const models = createModels(mongo);
  await checkKeys(models, config);
  const metrics = await startPortalMetrics({ models, log }, config.metrics);
  const messenger = createMessenger(temporal, config.temporal.taskQueue);
  const commit = createCommit({
    models,
    hashKey: ledgerKey(config.customerHashKey),
    now: Date.now,
    tell: tellAtOnce(createTeller(temporal, config.temporal.taskQueue)),
  });
  const now = () => Date.now();
  void noteApprovalsOff({ models, config, now }).catch((error: unknown) => {
    log.error({ err: error }, 'could not record that approvals are off');
  });
  const { app } = createPortal({
    config,
    models,
    messenger,
    commit,
    temporal,
    sealer: createSealer(config.masterKeys),
    sendMessage: createSendMessage(config),
    apiUrl: config.portal.apiUrl,
    recordPages: metrics?.recordPages,
    log,
    now,
  });
  void createSingleSignOn(config)
    ?.check()
    .catch((error: unknown) => log.error({ err: error }, 'nobody can sign in at the provider'));
  const { host, port, trustedProxies } = config.portal;
  const limits = listenerLimits(trustedProxies, config.http.keepAliveTimeoutMs);
  const server = await listen(app, host, port, { ...limits, requestTimeout: uploadTimeoutMs }, log);
  log.info({ host, port: portOf(server) }, 'portal is listening');
  return {
    ended: new Promise(() => undefined),
    async stop() {
      await drain(server);
      await close(server);
      await commit.ended();
      await metrics?.close();
      await mongo.close();
    },
  };
});
