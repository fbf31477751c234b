import { close, listen } from '../http/listen.ts';
import { createUsage } from '../models/billing/index.ts';
import { createLedger } from '../models/ledger/index.ts';
import { createModels } from '../models/schemas/index.ts';
import { createMailer } from '../platform/mailer.ts';
import { createMessenger } from '../platform/messenger.ts';
import { connectMongo } from '../platform/mongo.ts';
import { runProcess, untilReachable } from '../platform/process.ts';
import { createSealer } from '../platform/sealing.ts';
import { connectTemporal } from '../platform/temporal.ts';
import { createPortal, uploadTimeoutMs } from './app.ts';
import { startPortalMetrics } from './metrics.ts';

/** The portal process. */
await runProcess('portal', async (config, log) => {
  const mongo = await untilReachable('MongoDB', log, () => connectMongo(config.mongodbUri));
  const temporal = connectTemporal(config.temporal);
  const models = createModels(mongo);
  const metrics = await startPortalMetrics({ models, log }, config.metrics);
  const { app } = createPortal({
    config,
    models,
    ledger: createLedger(models, config.customerHashKey),
    usage: createUsage(models, config.customerHashKey),
    messenger: createMessenger(temporal, config.temporal.taskQueue),
    temporal,
    sealer: createSealer(config.masterKeys),
    sendMail: createMailer(config.mail),
    apiUrl: config.portal.apiUrl,
    measurePages: metrics?.measurePages,
    log,
    now: () => Date.now(),
  });
  const { host, port } = config.portal;
  const server = await listen(app, host, port, { requestTimeout: uploadTimeoutMs });
  log.info({ host, port }, 'portal is listening');
  return {
    ended: new Promise(() => undefined),
    async stop() {
      await close(server);
      await metrics?.close();
      await mongo.close();
    },
  };
});
