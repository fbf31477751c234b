import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { program } from 'commander';
import { workerCommand } from '../worker/command.ts';
import { cpuMsOf } from './bench/meter.ts';
import { log } from './log.ts';
import { startProcess, stopAllProcesses } from './managed-process.ts';
import { type Instruction, readDockerfile, variablesIn } from './prove-image/dockerfile.ts';
import { choosePort } from './servers/ports.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';
import { loadLocalKeys } from './start/keys.ts';
import { startThrowawayServers } from './throwaway-servers.ts';

program
  .name('prove -- image')
  .description(
    'Follows the Dockerfile in folders instead of a container, with this project’s Node, and prints the image’s size above its base image and how long each process takes to start from it. Exits with 1 if the image is larger than 300 MB, or a process takes longer than three seconds, the best of three attempts.',
  )
  .parse();

const root = fileURLToPath(new URL('..', import.meta.url));
const patienceMs = 60_000;
const pollMs = 25;
const graceMs = 10_000;
const megabyte = 1_000_000;
/** Above the base image, whose layers are already elsewhere. */
const maxImageMegabytes = 300;
const maxStartMs = 3_000;
/** A start that other load delays says nothing about the image. */
const maxTries = 3;

/** A stage being built, with its root and working directory. */
interface Built {
  folder: string;
  workdir: string;
  env: Record<string, string>;
}

async function proveImage(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prove-image-'));
  const [first, last] = readDockerfile(await readFile(join(root, 'Dockerfile'), 'utf8'));
  if (!first || !last) throw new Error('The Dockerfile has two stages.');
  const made: Built = { folder: join(dataDir, 'made'), workdir: '/', env: {} };
  // The base image provides Node.
  await put(process.execPath, join(made.folder, 'usr/local/bin/node'));
  for (const instruction of first.instructions) await follow(instruction, made);
  const image: Built = { folder: join(dataDir, 'image'), workdir: '/', env: {} };
  for (const instruction of last.instructions) await follow(instruction, image, made);
  const bytes = await sizeOf(image.folder);
  log(`${Math.round(bytes / megabyte)} MB above ${last.image}:`);
  for (const part of ['usr/local/bin/node', 'app/node_modules', 'app']) {
    log(`  ${Math.round((await sizeOf(join(image.folder, part))) / megabyte)} MB ${part}`);
  }
  const problems = await startEach(image, dataDir);
  if (bytes > maxImageMegabytes * megabyte) {
    problems.push(`The image is larger than ${maxImageMegabytes} MB.`);
  }
  await stopAllProcesses();
  await rm(dataDir, { recursive: true, force: true });
  for (const problem of problems) log(problem);
  return problems.length === 0 ? 0 : 1;
}

/** Carries out one instruction. @throws Error for an unknown one */
async function follow({ name, text }: Instruction, built: Built, made?: Built): Promise<void> {
  const here = (path: string) =>
    join(built.folder, path.startsWith('/') ? path : join(built.workdir, path));
  switch (name) {
    case 'WORKDIR':
      built.workdir = text;
      await mkdir(here('.'), { recursive: true });
      return;
    case 'ENV':
      Object.assign(built.env, variablesIn(text));
      return;
    case 'RUN':
      return run(text, here('.'));
    case 'COPY': {
      const words = text.split(/\s+/);
      const paths = words.filter((word) => !word.startsWith('--'));
      const target = paths.pop() ?? '';
      const from = words.includes('--from=made') && made ? made.folder : root;
      for (const path of paths) {
        const isInto = target.endsWith('/') && !(await isFolder(join(from, path)));
        const name = isInto ? join(target, path.split('/').at(-1) ?? '') : target;
        await put(join(from, path), here(name));
      }
      return;
    }
    // These only affect running in Docker.
    case 'USER':
    case 'EXPOSE':
    case 'HEALTHCHECK':
    case 'CMD':
      return;
    default:
      throw new Error(`${name} is not supported here.`);
  }
}

const isFolder = async (path: string) => (await stat(path)).isDirectory();

async function put(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, { recursive: true, verbatimSymlinks: true });
}

function run(command: string, cwd: string): void {
  log(`  ${command.split(' ').slice(0, 6).join(' ')} …`);
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  // Otherwise npm would pass its own settings to the npm that runs here.
  const others = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const env = { ...Object.fromEntries(others), PATH: path };
  const { status } = spawnSync('sh', ['-c', command], { cwd, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`Exit code ${status}: ${command}`);
}

/** The size of the files; links count as nothing. */
async function sizeOf(path: string): Promise<number> {
  if (!(await isFolder(path))) return (await stat(path)).size;
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = files.map(async (file) => (await stat(join(file.parentPath, file.name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/**
 * Starts each process from the image's files after preparing the database, and prints how long it took.
 * @returns the processes that took too long
 */
async function startEach({ folder, workdir, env: own }: Built, dataDir: string): Promise<string[]> {
  const { env: servers } = await startThrowawayServers({ dataDir, log });
  const portOf = (variable: string, what: string) =>
    choosePort({ variable, what, preferredPort: 0 }, {}, log);
  const [api, portal] = [
    await portOf('PORT', 'the API'),
    await portOf('PORTAL_PORT', 'the portal'),
  ];
  const env = {
    ...own,
    ...(await loadLocalKeys(join(dataDir, 'keys.json'))),
    MONGODB_URI: servers.MONGODB_URI,
    TEMPORAL_ADDRESS: servers.TEMPORAL_ADDRESS,
    PORT: String(api),
    PORTAL_PORT: String(portal),
    ADMIN_PORT: '0',
    HOST: '127.0.0.1',
    OUTBOX_DIR: join(folder, own.OUTBOX_DIR ?? 'outbox'),
    WORKFLOW_BUNDLE: join(folder, own.WORKFLOW_BUNDLE ?? ''),
    COMMAND_BUNDLE: join(folder, own.COMMAND_BUNDLE ?? ''),
    NODE_ENV: 'development',
  };
  const command = join(folder, 'usr/local/bin/node');
  const cwd = join(folder, workdir);
  const start = (name: string, args: string[]) =>
    startProcess({ command, args, env, cwd, graceMs, logFile: join(dataDir, `${name}.log`) });
  const asks: [string, string[], () => Promise<boolean>][] = [
    ['api', ['api/server.ts'], () => isReady(`http://127.0.0.1:${api}/readyz`)],
    ['portal', ['portal/server.ts'], () => isReady(`http://127.0.0.1:${portal}/readyz`)],
    [
      'worker',
      workerCommand,
      async () =>
        (await readFile(join(dataDir, 'worker.log'), 'utf8').catch(() => '')).includes(
          'worker is running',
        ),
    ],
  ];
  const migrated = await (await start('migrate', ['cli/migrate.ts'])).exited;
  if (migrated !== 0) throw new Error(`migrate exited with ${migrated}: ${dataDir}/migrate.log`);
  const timed = async (name: string, args: string[], isThere: () => Promise<boolean>) => {
    const beganMs = performance.now();
    const child = await start(name, args);
    while (!(await isThere())) {
      if (performance.now() - beganMs > patienceMs) {
        throw new Error(`${name} did not start: ${join(dataDir, `${name}.log`)}`);
      }
      await delay(pollMs);
    }
    const tookMs = performance.now() - beganMs;
    // On a busy machine CPU time is more meaningful.
    const cpuMs = await cpuMsOf(child.pid);
    log(
      `${name} started in ${(tookMs / 1_000).toFixed(1)} s, with ${(cpuMs / 1_000).toFixed(1)} s of CPU time`,
    );
    await child.stop();
    await rm(join(dataDir, `${name}.log`));
    return tookMs;
  };
  const problems: string[] = [];
  for (const [name, args, isThere] of asks) {
    let fastestMs = Number.POSITIVE_INFINITY;
    for (let tried = 0; tried < maxTries && fastestMs > maxStartMs; tried++) {
      fastestMs = Math.min(fastestMs, await timed(name, args, isThere));
    }
    if (fastestMs > maxStartMs) {
      problems.push(`${name} takes longer than ${maxStartMs / 1_000} s to start.`);
    }
  }
  return problems;
}

const isReady = async (url: string): Promise<boolean> =>
  (await fetch(url).catch(() => undefined))?.ok ?? false;

await shutDown(await runUntilShutdown(shutdownRequested(), proveImage, 130));
