import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { stringify } from 'yaml';
import { dayMs } from '../../domain/utc-days.ts';
import { type ManagedProcess, startProcess } from '../managed-process.ts';
import { startBalancer } from '../prove-failover/balancer.ts';
import { choosePort } from '../servers/ports.ts';
import { dynamicConfig } from '../servers/temporal.ts';
import { buildGo, goIn } from '../tools/go.ts';
import { type Postgres, startPostgres } from './postgres.ts';

const run = promisify(execFile);
const servers = [0, 1] as const;
export type Server = (typeof servers)[number];
const services = ['frontend', 'history', 'matching', 'worker'] as const;
type TemporalPorts = Record<
  (typeof services)[number] | 'http',
  { grpc: number; membership: number }
>;
const databases = { default: 'temporal', visibility: 'temporal_visibility' };
/** As in compose. */
const historyShards = 512;
const graceMs = 15_000;
const patienceMs = 120_000;
const releases = ['previous', 'present'] as const;
export type TemporalRelease = (typeof releases)[number];
/** The modules that pin the releases: the previous one, and that of compose. */
const modules: Record<TemporalRelease, URL> = {
  previous: new URL('../temporal-server-previous/', import.meta.url),
  present: new URL('../temporal-server/', import.meta.url),
};
interface BuiltTemporal {
  version: string;
  server: string;
  /** Updates the database's schema for this release. */
  sql: string;
}

export type TwoServers = Awaited<ReturnType<typeof startTwoServers>>;

/**
 * Two Temporal servers of one cluster on PostgreSQL, each with every service, behind a balancer, initially of
 * the previous release; compose runs the next minor version.
 * @throws Error without Go or PostgreSQL
 */
export async function startTwoServers(dataDir: string, log: (line: string) => void) {
  log('Temporal: building the servers (a few minutes the first time)');
  const built = { previous: await build('previous'), present: await build('present') };
  const freePort = () =>
    choosePort({ variable: 'PORT', what: 'Temporal', preferredPort: 0 }, {}, log);
  const postgres = await startPostgres(dataDir, await freePort());
  await makeDatabases(built.previous.sql, postgres);
  await updateSchemas(built.previous.sql, postgres);

  const frontends: number[] = [];
  const configs: string[] = [];
  const settings = join(dataDir, 'dynamic-config.yaml');
  await writeFile(settings, stringify(dynamicSettings()));
  for (const server of servers) {
    const ports = {} as TemporalPorts;
    for (const name of [...services, 'http'] as const) {
      ports[name] = { grpc: await freePort(), membership: await freePort() };
    }
    const folder = join(dataDir, `temporal-${server}`);
    await mkdir(folder, { recursive: true });
    configs[server] = join(folder, 'config.yaml');
    frontends[server] = ports.frontend.grpc;
    await writeFile(configs[server], stringify(configOf(ports, postgres, settings)));
  }
  let started = 0;
  const installed: TemporalRelease[] = servers.map(() => 'previous');
  const running: ManagedProcess[] = [];
  const start = async (server: Server): Promise<void> => {
    const { server: command, version } = built[installed[server] ?? 'previous'];
    running[server] = await startProcess({
      command,
      args: ['--config-file', configs[server] ?? '', 'start'],
      env: process.env,
      graceMs,
      logFile: join(dataDir, `temporal-${server}-${started++}.log`),
    });
    const port = frontends[server] ?? 0;
    await untilServing(port);
    const is = await versionAt(port);
    if (is !== version) throw new Error(`Temporal ${server} is ${is} instead of ${version}`);
  };
  // One after the other: the first one records the cluster's metadata, which fails if both try.
  for (const server of servers) await start(server);
  const of = (server: Server): ManagedProcess => {
    const found = running[server];
    if (!found) throw new Error(`Temporal ${server} was not started`);
    return found;
  };
  return {
    address: `127.0.0.1:${await startBalancer(frontends)}`,
    postgres,
    versions: { previous: built.previous.version, present: built.present.version },
    start,
    async kill(server: Server): Promise<void> {
      process.kill(of(server).pid, 'SIGKILL');
      await of(server).exited;
    },
    freeze: (server: Server) => void process.kill(of(server).pid, 'SIGSTOP'),
    thaw: (server: Server) => void process.kill(of(server).pid, 'SIGCONT'),
    /** Updates the schema, the first step of an upgrade, while the previous release's servers run. */
    updateSchemas: () => updateSchemas(built.present.sql, postgres),
    /** Stops a server in order, and starts one of that release on its ports. */
    async replace(server: Server, release: TemporalRelease): Promise<void> {
      await of(server).stop();
      installed[server] = release;
      await start(server);
    },
    /** Waits until both know each other and respond. */
    whole: () => Promise.all(frontends.map(untilServing)),
  };
}

async function build(release: TemporalRelease): Promise<BuiltTemporal> {
  const module = modules[release];
  const server = 'go.temporal.io/server';
  const of = (name: string, what: string) =>
    buildGo(module, `temporal-${name}-${release}`, `${server}/cmd/${what}`);
  const version = await goIn(module, ['list', '-m', '-f', '{{.Version}}', server]);
  return {
    version: version.trim().slice('v'.length),
    server: await of('server', 'server'),
    sql: await of('sql', 'tools/sql'),
  };
}

const schemas = [
  { database: databases.default, name: 'postgresql/v12/temporal' },
  { database: databases.visibility, name: 'postgresql/v12/visibility' },
];
const toolAt = ({ port, user }: Postgres, database: string): string[] => [
  ...['--plugin', 'postgres12', '--ep', '127.0.0.1', '-p', String(port), '-u', user],
  ...['--db', database],
];

async function makeDatabases(tool: string, postgres: Postgres): Promise<void> {
  for (const { database } of schemas) {
    const at = toolAt(postgres, database);
    await run(tool, [...at, 'create-database']);
    await run(tool, [...at, 'setup-schema', '-v', '0.0']);
  }
}

async function updateSchemas(tool: string, postgres: Postgres): Promise<void> {
  for (const { database, name } of schemas) {
    await run(tool, [...toolAt(postgres, database), 'update-schema', '--schema-name', name]);
  }
}

function configOf(ports: TemporalPorts, { port, user }: Postgres, dynamicSettings: string) {
  const storeOf = (databaseName: string) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${port}`,
      connectProtocol: 'tcp',
      user,
      maxConns: 20,
      maxIdleConns: 20,
    },
  });
  const rpcOf = (name: keyof TemporalPorts) => ({
    rpc: {
      grpcPort: ports[name].grpc,
      membershipPort: ports[name].membership,
      bindOnIP: '127.0.0.1',
      ...(name === 'frontend' && { httpPort: ports.http.grpc }),
    },
  });
  const frontend = `127.0.0.1:${ports.frontend.grpc}`;
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: historyShards,
      datastores: {
        default: storeOf(databases.default),
        visibility: storeOf(databases.visibility),
      },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(services.map((name) => [name, rpcOf(name)])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: frontend,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamicSettings, pollInterval: '10s' },
  };
}

/** The settings of the development server, as a file. */
const dynamicSettings = () =>
  Object.fromEntries(
    dynamicConfig.map((setting) => {
      const [name = '', value = ''] = setting.split('=');
      return [name, [{ value: JSON.parse(value) }]];
    }),
  );

async function versionAt(port: number): Promise<string> {
  const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
  try {
    const { serverVersion } = await connection.workflowService.getSystemInfo({});
    return serverVersion;
  } finally {
    await connection.close();
  }
}

/** Waits until a frontend serves the namespace, creating it if missing. */
async function untilServing(port: number): Promise<void> {
  const deadlineMs = Date.now() + patienceMs;
  for (;;) {
    const connection = Connection.lazy({ address: `127.0.0.1:${port}`, connectTimeout: 1_000 });
    try {
      await connection.withDeadline(Date.now() + 5_000, async () => {
        const { workflowService: service, operatorService } = connection;
        const namespace = 'default';
        const retention = { seconds: (3 * dayMs) / 1_000 };
        await service
          .registerNamespace({ namespace, workflowExecutionRetentionPeriod: retention as never })
          .catch(() => undefined);
        await service.describeNamespace({ namespace });
        await operatorService.listSearchAttributes({ namespace });
        await service.listWorkflowExecutions({ namespace, pageSize: 1 });
      });
      return;
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await delay(200);
    } finally {
      await connection.close();
    }
  }
}
