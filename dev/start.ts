import { join, resolve } from 'node:path';
import { loadConfig } from '../platform/config.ts';
import { workerCommand } from '../worker/command.ts';
import { cachedCommandBundle } from './bundle-command.ts';
import { bundleWorkflows } from './bundle-workflows.ts';
import { log } from './log.ts';
import { cachedClientPackages } from './pack-clients.ts';
import { prepareService, seedDemo } from './seed.ts';
import { choosePort, onFreePort } from './servers/ports.ts';
import { startServers } from './servers.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';
import { onceServersCan } from './start/await-ready.ts';
import { tellBacklog } from './start/backlog.ts';
import { claimDataFolder } from './start/data-folder.ts';
import { loadLocalKeys } from './start/keys.ts';
import { startProcesses } from './start/processes.ts';
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
  const [servers, bundle, command, clients] = await Promise.all([
    startServers({ dataDir, env: process.env, log, answersFirst: true }),
    bundleWorkflows(),
    cachedCommandBundle(),
    cachedClientPackages(),
  ]);
  const common = {
    MESSAGE_DIR: join(dataDir, 'messages'),
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
  };
  const prepared = loadConfig(common);
  await onceServersCan(() => prepareService(prepared));

  log('Starting the worker, the API and the portal …');
  const { ports, config } = await onFreePort(async () => {
    const ports = await choosePorts();
    const env = {
      ...common,
      PORT: String(ports.api),
      ADMIN_PORT: String(ports.admin),
      PORTAL_PORT: String(ports.portal),
      METRICS_PORT: String(ports.metrics),
    };
    const workerEnv = {
      WORKFLOW_BUNDLE: bundle,
      ...env,
      METRICS_PORT: String(ports.workerMetrics),
    };
    const portalEnv = {
      COMMAND_BUNDLE: command,
      CLIENT_PACKAGES: clients,
      ...env,
      METRICS_PORT: String(ports.portalMetrics),
    };
    await startProcesses(
      [
        { name: 'worker', args: workerCommand, env: workerEnv, isBackground: true },
        { name: 'API', args: ['api/server.ts'], env },
        { name: 'portal', args: ['portal/server.ts'], env: portalEnv },
      ],
      [`http://127.0.0.1:${ports.api}/statusz`, `http://127.0.0.1:${ports.portal}/readyz`],
      Object.values(ports),
      log,
    );
    return { ports, config: loadConfig(env) };
  });
  void tellBacklog(config.mongodbUri, log).catch((error: unknown) => {
    log(`What waits from an earlier run could not be read: ${String(error)}`);
  });
  const baseUrl = `http://127.0.0.1:${ports.api}`;
  const portalUrl = process.env.PORTAL_URL || `http://localhost:${ports.portal}`;
  const adminUrl = `http://127.0.0.1:${ports.admin}/admin/v1`;
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
      messageDir: config.mail.smtpUrl ? 'none: SMTP_URL is set' : config.mail.messageDir,
      demoFile,
      metricsUrls: [ports.metrics, ports.workerMetrics, ports.portalMetrics].map(
        (one) => `http://127.0.0.1:${one}/metrics`,
      ),
      headerBrand: config.http.headerBrand,
    }),
  );
  return { lost: servers.lost };
}

/** The ports of the processes: those of the environment, or the usual ones, or the next free ones. */
async function choosePorts() {
  const except: number[] = [];
  const choose = async (variable: string | undefined, what: string, preferredPort: number) => {
    const port = await choosePort({ variable, what, preferredPort, except }, process.env, log);
    except.push(port);
    return port;
  };
  const api = await choose('PORT', 'the API', 3_000);
  const admin = await choose('ADMIN_PORT', 'the operators’ API', 3_002);
  const portal = await choose('PORTAL_PORT', 'the portal', 3_001);
  const metrics = await choose('METRICS_PORT', 'the API’s metrics', 9_464);
  const workerMetrics = await choose(undefined, 'the worker’s metrics', metrics + 1);
  const portalMetrics = await choose(undefined, 'the portal’s metrics', workerMetrics + 1);
  return { api, admin, portal, metrics, workerMetrics, portalMetrics };
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
