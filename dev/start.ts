import { join, resolve } from 'node:path';
import { loadConfig } from '../platform/config.ts';
import { workerCommand } from '../worker/command.ts';
import { bundleWorkflows } from './bundle-workflows.ts';
import { log } from './log.ts';
import { prepareService, seedDemo } from './seed.ts';
import { claimDataFolder } from './servers/data-layout.ts';
import { choosePort } from './servers/ports.ts';
import { startServers } from './servers.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';
import { awaitReady } from './start/await-ready.ts';
import { keepRunning } from './start/keep-running.ts';
import { loadLocalKeys } from './start/keys.ts';
import { screen } from './start/screen.ts';

/**
 * `npm start`: the servers, the demo partner, the worker, the API and the portal, until Ctrl-C.
 * @returns a promise of a server's unexpected exit
 */
async function startEverything(): Promise<{ lost: Promise<string> }> {
  const dataDir = resolve(process.env.DATA_DIR || '.data');
  await claimDataFolder(dataDir);
  const demoFile = join(dataDir, 'demo.json');
  const keys = await loadLocalKeys(join(dataDir, 'keys.json'));

  log('Starting MongoDB and Temporal …');
  const [servers, bundle] = await Promise.all([
    startServers({ dataDir, env: process.env, log, answersFirst: true }),
    bundleWorkflows(),
  ]);
  const port = await choosePort(
    { variable: 'PORT', what: 'the API', preferredPort: 3_000 },
    process.env,
    log,
  );
  const adminPort = await choosePort(
    { variable: 'ADMIN_PORT', what: 'the operators’ API', preferredPort: 3_002 },
    process.env,
    log,
  );
  const portalPort = await choosePort(
    { variable: 'PORTAL_PORT', what: 'the portal', preferredPort: 3_001 },
    process.env,
    log,
  );
  const baseUrl = `http://127.0.0.1:${port}`;
  const portalUrl = process.env.PORTAL_URL || `http://127.0.0.1:${portalPort}`;
  const adminUrl = `http://127.0.0.1:${adminPort}/admin/v1`;
  const metricsPort = await choosePort(
    { variable: 'METRICS_PORT', what: "the API's metrics", preferredPort: 9_464 },
    process.env,
    log,
  );
  const workerMetricsPort = await choosePort(
    {
      variable: 'WORKER_METRICS_PORT',
      what: "the worker's metrics",
      preferredPort: metricsPort + 1,
    },
    process.env,
    log,
  );
  const portalMetricsPort = await choosePort(
    {
      variable: 'PORTAL_METRICS_PORT',
      what: "the portal's metrics",
      preferredPort: workerMetricsPort + 1,
    },
    process.env,
    log,
  );
  const env = {
    OUTBOX_DIR: join(dataDir, 'outbox'),
    AUDIT_LOG: join(dataDir, 'audit.log'),
    // A developer has no second operator.
    FOUR_EYES: 'off',
    WEBHOOK_ALLOW_LOOPBACK: 'on',
    INVOICE_ISSUER_NAME: 'Example Rewards Ltd',
    ...keys,
    ...given(process.env),
    MONGODB_URI: servers.mongodbUri,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    TEMPORAL_UI_URL: servers.temporalUi,
    PORT: String(port),
    ADMIN_PORT: String(adminPort),
    PORTAL_PORT: String(portalPort),
    METRICS_PORT: String(metricsPort),
  };
  const workerEnv = { WORKFLOW_BUNDLE: bundle, ...env, METRICS_PORT: String(workerMetricsPort) };
  const portalEnv = { ...env, METRICS_PORT: String(portalMetricsPort) };
  const config = loadConfig(env);
  await prepareService(config);

  log('Starting the worker, the API and the portal …');
  await keepRunning(
    { name: 'worker', args: workerCommand, env: workerEnv, isBackground: true },
    log,
  );
  await keepRunning({ name: 'API', args: ['api/server.ts'], env }, log);
  await keepRunning({ name: 'portal', args: ['portal/server.ts'], env: portalEnv }, log);
  await awaitReady(`${baseUrl}/statusz`);
  await awaitReady(`http://127.0.0.1:${portalPort}/readyz`);
  const { partnerLogin, adminLogin } = await seedDemo({
    config,
    baseUrl,
    adminUrl,
    portalUrl,
    temporalUi: servers.temporalUi,
    mongodbUri: servers.mongodbUri,
    demoFile,
  });
  log(
    screen({
      baseUrl,
      adminUrl,
      portalUrl,
      partnerLogin,
      adminLogin,
      approvals: config.approvals.isOn
        ? 'on: moving money and opening LIVE need two operators'
        : 'off: one operator can move money alone (FOUR_EYES=on changes it)',
      temporalUi: servers.temporalUi,
      mongodbUri: servers.mongodbUri,
      outboxDir: config.mail.smtpUrl ? 'none: SMTP_URL is set' : config.mail.outboxDir,
      demoFile,
      metricsUrls: [metricsPort, workerMetricsPort, portalMetricsPort].map(
        (one) => `http://127.0.0.1:${one}/metrics`,
      ),
      headerBrand: config.http.headerBrand,
    }),
  );
  return { lost: servers.lost };
}

/** As in the configuration, an empty variable counts as absent. */
function given(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}

const stopped = shutdownRequested();
void stopped.then(() => log('\nStopping the portal, the API, the worker, Temporal and MongoDB …'));
const { lost } = await runUntilShutdown(stopped, startEverything);
const reason = await Promise.race([stopped, lost]);
if (reason) log(`${reason}; stopping the rest. Its log is in the data folder.`);
await shutDown(reason ? 1 : 0);
