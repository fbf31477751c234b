import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { type ManagedProcess, startProcess } from '../managed-process.ts';
import { awaitReleased, type ServerOptions, startFailure } from './mongo.ts';
import { choosePort, onFreePort } from './ports.ts';
import { binaryOfFolder, environmentOf, temporalSources } from './programs.ts';

export interface TemporalServer extends ManagedProcess {
  address: string;
  uiUrl: string;
  port: number;
  uiPort: number;
}

export interface TemporalOptions extends ServerOptions {
  /** 0 for any free port; by default the usual port, or the next free one. */
  uiPort?: number;
  /** Pairs of a name and a value, in addition to `dynamicConfig`. */
  settings?: readonly string[];
}

const graceMs = 10_000;
const readyPatienceMs = 60_000;

/**
 * The development server's settings: no throttling of load tests, and fairness between partners as in
 * `deploy/docker/temporal-dynamic-config.yaml`.
 */
export const dynamicConfig = [
  'frontend.namespaceRPS=20000',
  'frontend.rps=20000',
  'matching.rps=20000',
  'matching.enableFairness=true',
];

/** A write-ahead log, flushed at each commit: as durable as the server's default, and twice as fast. */
const sqlitePragmas = ['journal_mode=wal', 'synchronous=full'];

/**
 * Runs `temporal server start-dev` on the loopback address with its Web UI and a database file, and waits
 * until its namespace responds.
 * @throws Error without the Temporal CLI, or if the server does not start
 */
export async function startTemporal(options: TemporalOptions): Promise<TemporalServer> {
  return await onFreePort(() => startOnce(options));
}

async function startOnce(options: TemporalOptions): Promise<TemporalServer> {
  const pidFile = join(options.dataDir, 'temporal.pid');
  await awaitReleased('temporal', pidFile, options);
  const port = await choosePort(
    { variable: 'TEMPORAL_PORT', what: 'Temporal', preferredPort: options.port ?? 7_233 },
    options.port === undefined ? options.env : {},
    options.log,
  );
  const uiPort = await choosePort(
    {
      variable: 'TEMPORAL_UI_PORT',
      what: 'the Temporal UI',
      preferredPort: options.uiPort ?? 8_233,
    },
    options.uiPort === undefined ? options.env : {},
    options.log,
  );
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const sources = temporalSources(options);
  const binary = await binaryOfFolder('temporal', options.dataDir, sources, options.log);
  const logFile = join(options.dataDir, 'temporal.log');
  const temporal = await startProcess({
    command: binary.path,
    isBackground: options.isBackground ?? false,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
      ...['--ui-port', String(uiPort), '--db-filename', join(options.dataDir, 'temporal.db')],
      ...['--log-level', 'warn'],
      ...sqlitePragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
      ...[...dynamicConfig, ...(options.settings ?? [])].flatMap((setting) => [
        '--dynamic-config-value',
        setting,
      ]),
    ],
    env: environmentOf(binary),
    graceMs,
    logFile,
  });
  await writeFile(pidFile, `${temporal.pid}\n`);
  const address = `127.0.0.1:${port}`;
  try {
    await Promise.race([
      awaitNamespace(address),
      temporal.exited.then((code) => startFailure('temporal', code, logFile)),
    ]);
  } catch (error) {
    await temporal.stop();
    throw error;
  }
  return { ...temporal, address, port, uiPort, uiUrl: `http://127.0.0.1:${uiPort}` };
}

async function awaitNamespace(address: string): Promise<void> {
  const deadlineMs = Date.now() + readyPatienceMs;
  for (;;) {
    const connection = Connection.lazy({ address, connectTimeout: 1_000 });
    try {
      // The latter knows a new namespace later than the former, which created it.
      await connection.withDeadline(Date.now() + 2_000, async () => {
        await connection.workflowService.describeNamespace({ namespace: 'default' });
        await connection.operatorService.listSearchAttributes({ namespace: 'default' });
      });
      return;
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await sleep(100);
    } finally {
      await connection.close();
    }
  }
}
