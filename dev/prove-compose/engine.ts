import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { log } from '../log.ts';
import { firstUsable, mongodSources, userCacheDir } from '../servers/programs.ts';
import { installDebian } from '../tools/debian.ts';
import { goIn } from '../tools/go.ts';
import { installOnce } from '../tools/install-once.ts';

const run = promisify(execFile);
const root = new URL('../../', import.meta.url);
const cacheDir = userCacheDir(process.env);
const home = join(cacheDir, 'containers');
const context = join(home, 'context');
const socket = `unix://${home}/docker.sock`;
/** Of a program: Docker finds its plug-ins here. */
const env = { ...process.env, DOCKER_HOST: socket, DOCKER_CONFIG: join(home, 'config') };

const packages = ['docker.io', 'iptables', 'mmdebstrap', 'slirp4netns'];
const programs = ['/usr/sbin/dockerd', '/usr/bin/mmdebstrap', '/usr/bin/slirp4netns'];
const readyMs = 60_000;

/** Everybody's names, and those that browsers resolve by themselves. */
const hosts = '127.0.0.1 localhost api.localhost\n';
/** slirp4netns answers there, with the resolver of this machine. */
const resolver = 'nameserver 10.0.2.3\n';

/**
 * Runs a Docker engine with a network, mounts and images of its own, so that nothing of this machine changes. What it
 * publishes is reached through `inside`.
 * @returns how to run a program in its network, and how to stop it
 * @throws Error unless run as root on Debian with Go
 */
export async function startEngine() {
  if (process.getuid?.() !== 0) {
    throw new Error('Run it as root, or name an engine of your own with DOCKER_HOST.');
  }
  await installDebian(packages, () => programs.every(existsSync));
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'hosts'), hosts);
  await writeFile(join(home, 'resolver'), resolver);
  await addPlugins();
  const children: ChildProcess[] = [];
  const stop = async () => {
    for (const child of children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill();
      await new Promise((resolve) => child.once('exit', resolve));
    }
  };
  const start = (program: string, args: readonly string[]) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true });
    children.push(child);
    return String(child.pid);
  };
  try {
    const mounts = [
      `mount --bind ${home}/hosts /etc/hosts`,
      `mount --bind ${home}/resolver /etc/resolv.conf`,
    ];
    const files = `--data-root ${home}/data --exec-root ${home}/exec --pidfile ${home}/dockerd.pid`;
    const dockerd = `exec dockerd ${files} --host ${socket} --storage-driver overlay2 > ${home}/dockerd.log 2>&1`;
    const script = ['set -e', 'ip link set lo up', ...mounts, dockerd].join('\n');
    const pid = start('unshare', ['--net', '--mount', 'sh', '-c', script]);
    const inside = (args: readonly string[]) => ['nsenter', '-t', pid, '-n', '-m', '--', ...args];
    await until(`${home}/dockerd.log`, () => docker('version'));
    start('slirp4netns', ['--configure', '--mtu=1500', '--disable-host-loopback', pid, 'tap0']);
    const [nsenter = '', ...addresses] = inside(['ip', '-4', 'route', 'show', 'default']);
    await until('slirp4netns', async () => (await run(nsenter, addresses)).stdout.includes('tap0'));
    await addImages();
    return { env, inside, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function until(where: string, isReady: () => Promise<unknown>): Promise<void> {
  for (const endMs = Date.now() + readyMs; ; await delay(200)) {
    if (await isReady().catch(() => false)) return;
    if (Date.now() > endMs) throw new Error(`The engine does not start: ${where}`);
  }
}

const docker = async (...args: string[]) => (await run('docker', args, { env })).stdout;

/** Compose and BuildKit's client, which Debian does not have in these versions. */
async function addPlugins(): Promise<void> {
  const plugins = join(home, 'config', 'cli-plugins');
  await mkdir(plugins, { recursive: true });
  const compose = { module: 'github.com/docker/compose/v2', program: 'cmd', version: 'v2.40.3' };
  const buildx = { module: 'github.com/docker/buildx', program: 'cmd/buildx', version: 'v0.29.1' };
  const own = {
    'docker-compose': [compose, 'internal'],
    'docker-buildx': [buildx, 'version'],
  } as const;
  for (const [name, [from, place]] of Object.entries(own)) {
    const flags = `-X ${from.module}/${place}.Version=${from.version}`;
    await copyFile(await goProgram(name, from, flags), join(plugins, name));
  }
}

interface GoProgram {
  module: string;
  program: string;
  version: string;
}

/** Builds a program of a published module, unless an earlier run has. @returns its file */
async function goProgram(name: string, from: GoProgram, flags = ''): Promise<string> {
  const { module, program, version } = from;
  const folder = pathToFileURL(`${home}/programs/${name}/`);
  const file = fileURLToPath(new URL(name, folder));
  const what = `${module}/${program}`;
  process.env.CGO_ENABLED = '0';
  await installOnce(folder, `${what}@${version}`, async () => {
    log(`building ${what}@${version}`);
    await rm(new URL('go.mod', folder), { force: true });
    await goIn(folder, ['mod', 'init', 'program']);
    await goIn(folder, ['get', `${what}@${version}`]);
    await goIn(folder, ['build', '-ldflags', `-s -w ${flags}`, '-o', file, what]);
  });
  return file;
}

/** The targets of stand-ins.Dockerfile, with what they need besides Debian. */
const standIns: Record<string, (tag: string) => Promise<void>> = {
  async node() {
    await put('node', process.execPath);
    await put('ca-certificates.crt', '/etc/ssl/certs/ca-certificates.crt');
    const { stdout } = await run('npm', ['pack', '--silent', 'npm@11'], { cwd: context });
    await put('npm.tgz', join(context, stdout.trim()));
  },
  async mongo() {
    await standIns.node?.('');
    const mongod = await firstUsable(
      'mongod',
      mongodSources({ env: process.env, cacheDir, log }),
      log,
    );
    if (mongod.libraryDir) await put('mongod', mongod.libraryDir);
    await put('mongod/mongod', mongod.path);
    for (const tool of ['mongodump', 'mongorestore']) {
      const found = await run('which', [tool]).catch(() => {
        throw new Error(`Put ${tool}, of MongoDB’s database tools, on the PATH.`);
      });
      await put(tool, found.stdout.trim());
    }
    await put('mongo-entrypoint.sh', here('mongo-entrypoint.sh'));
  },
  async postgres() {
    await put('postgres-entrypoint.sh', here('postgres-entrypoint.sh'));
  },
  async server(tag) {
    const from = { module: 'go.temporal.io/server', program: 'cmd/server', version: `v${tag}` };
    await put('temporal-server', await goProgram('temporal-server', from));
    const source = await moduleOf('temporal-server', from.module);
    await put('temporal-entrypoint.sh', join(source, 'docker/scripts/sh/entrypoint.sh'));
  },
  async 'admin-tools'(tag) {
    const from = { module: 'go.temporal.io/server', program: 'cmd/tools/sql', version: `v${tag}` };
    await put('temporal-sql-tool', await goProgram('temporal-sql-tool', from));
    await put('schema', join(await moduleOf('temporal-sql-tool', from.module), 'schema'));
  },
  async ui(tag) {
    const module = 'github.com/temporalio/ui-server/v2';
    const from = { module, program: 'cmd/server', version: `v${tag}` };
    await put('temporal-ui', await goProgram('temporal-ui', from));
    await put(
      'temporal-ui.yaml',
      join(await moduleOf('temporal-ui', module), 'config/docker.yaml'),
    );
  },
  async caddy(tag) {
    const module = 'github.com/caddyserver/caddy/v2';
    await put(
      'caddy',
      await goProgram('caddy', { module, program: 'cmd/caddy', version: `v${tag}` }),
    );
  },
};

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const put = (name: string, file: string) =>
  cp(file, join(context, name), { recursive: true, dereference: true });

async function moduleOf(program: string, module: string): Promise<string> {
  const folder = pathToFileURL(`${home}/programs/${program}/`);
  return (await goIn(folder, ['list', '-m', '-f', '{{.Dir}}', module])).trim();
}

/** Every image that the Dockerfile and Compose's default profiles name: from its registry, or a stand-in. */
async function addImages(): Promise<void> {
  await mkdir(context, { recursive: true });
  const compose = await readFile(new URL('docker-compose.yml', root), 'utf8');
  const dockerfile = await readFile(new URL('Dockerfile', root), 'utf8');
  const named = [
    ...[...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image ?? ''),
    ...[...compose.matchAll(/^ {4}image: (\S+)$/gm)].map(([, image]) => image ?? ''),
  ];
  for (const image of new Set(named)) {
    const isOurs = image === 'partner-events';
    const isObservability = /prometheus|grafana/.test(image);
    if (isOurs || isObservability || (await isHere(image))) continue;
    if (await docker('pull', '-q', image).then(Boolean, () => false)) continue;
    log(`making a stand-in for ${image}`);
    if (image.includes('distroless')) await importDebian(image, 'extract', distroless);
    else await build(image);
  }
}

const isHere = (image: string) => docker('image', 'inspect', image).then(Boolean, () => false);

/** What Google's image of this name has, of the same release of Debian. */
const distroless =
  'base-files,netbase,tzdata,libc6,libssl3t64,libgcc-s1,libstdc++6,ca-certificates';
const debian = 'debian:trixie-slim';

async function importDebian(image: string, variant: string, include: string): Promise<void> {
  const file = join(home, 'debian.tar');
  await run('mmdebstrap', [`--variant=${variant}`, `--include=${include}`, 'trixie', file]);
  const path = 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  await docker('import', '-c', path, '-c', 'LABEL stand-in=mmdebstrap', file, image);
  await rm(file);
}

async function build(image: string): Promise<void> {
  const [name = '', tag = ''] = image.split(':');
  const target = name.split('/').at(-1) ?? '';
  if (!(await isHere(debian))) await importDebian(debian, 'minbase', 'ca-certificates');
  await standIns[target]?.(tag);
  const file = here('stand-ins.Dockerfile');
  const args = [
    '--target',
    target,
    '--label',
    `stand-in=${target}`,
    '-t',
    image,
    '-f',
    file,
    context,
  ];
  await docker('build', '-q', ...args);
}
