import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { log } from '../../dev/log.ts';
import { firstUsable, mongodSources, userCacheDir } from '../../dev/servers/programs.ts';
import { buildOnce, goProgram, sourceOf } from '../../dev/tools/go.ts';
import { databaseTool } from '../support/database-tools.ts';
import { home } from './home.ts';

const run = promisify(execFile);
const context = join(home, 'context');

export const socket = `unix://${home}/docker.sock`;
/** Of a program: Docker finds its plug-ins here. */
export const env = { ...process.env, DOCKER_HOST: socket, DOCKER_CONFIG: join(home, 'config') };

/** Runs Docker's client with the engine of `startEngine`. */
export const docker = async (...args: string[]): Promise<string> =>
  (await run('docker', args, { env, maxBuffer: 16 * 1024 * 1024 })).stdout;

/** The images that a file names. @param before each of them, in its line */
export async function imagesIn(file: string, before: 'FROM' | 'image:'): Promise<string[]> {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  const named = text.matchAll(new RegExp(`^ *${before} (\\S+)`, 'gm'));
  return [...named].map(([, image]) => image ?? '');
}

/** Makes the engine have these images: from their registry, or stand-ins. */
export async function addImages(images: Iterable<string>): Promise<void> {
  await mkdir(context, { recursive: true });
  for (const image of images) {
    if (await isHere(image)) continue;
    if (await docker('pull', '-q', image).then(Boolean, () => false)) continue;
    log(`making a stand-in for ${image}`);
    if (image.includes('distroless')) await importDebian(image, 'extract', distroless);
    else await build(image);
  }
}

/** Copies something to where `stand-ins.Dockerfile` finds it. */
const put = (name: string, file: string): Promise<void> =>
  cp(file, join(context, name), { recursive: true, dereference: true });

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

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
    const cacheDir = userCacheDir(process.env);
    const sources = mongodSources({ env: process.env, cacheDir, log });
    const mongod = await firstUsable('mongod', sources, log);
    if (mongod.libraryDir) await put('mongod', mongod.libraryDir);
    await put('mongod/mongod', mongod.path);
    for (const tool of ['mongodump', 'mongorestore']) await put(tool, await databaseTool(tool));
    await put('mongo-entrypoint.sh', here('mongo-entrypoint.sh'));
  },
  async postgres() {
    await put('postgres-entrypoint.sh', here('postgres-entrypoint.sh'));
  },
  async server(tag) {
    const from = { module: 'go.temporal.io/server', program: 'cmd/server', version: `v${tag}` };
    await put('temporal-server', await goProgram('temporal-server', from));
    const source = await sourceOf('temporal-server', from.module);
    await put('temporal-entrypoint.sh', join(source, 'docker/scripts/sh/entrypoint.sh'));
  },
  async 'admin-tools'(tag) {
    const from = { module: 'go.temporal.io/server', program: 'cmd/tools/sql', version: `v${tag}` };
    await put('temporal-sql-tool', await goProgram('temporal-sql-tool', from));
    await put('schema', join(await sourceOf('temporal-sql-tool', from.module), 'schema'));
  },
  async ui(tag) {
    const module = 'github.com/temporalio/ui-server/v2';
    const from = { module, program: 'cmd/server', version: `v${tag}` };
    await put('temporal-ui', await goProgram('temporal-ui', from));
    await put(
      'temporal-ui.yaml',
      join(await sourceOf('temporal-ui', module), 'config/docker.yaml'),
    );
  },
  async caddy(tag) {
    const module = 'github.com/caddyserver/caddy/v2';
    await put(
      'caddy',
      await goProgram('caddy', { module, program: 'cmd/caddy', version: `v${tag}` }),
    );
  },
  async coredns(tag) {
    const what = `github.com/coredns/coredns@${tag}`;
    const folder = await buildOnce('coredns', what, async (go, into) => {
      await copyFile(here('coredns.go'), join(into, 'main.go'));
      await go('get', what);
      await go('build', '-ldflags', '-s -w', '-o', join(into, 'coredns'), '.');
    });
    await put('coredns', join(folder, 'coredns'));
  },
};

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
  await docker(
    ...['build', '-q', '--target', target, '--label', `stand-in=${target}`],
    ...['-t', image, '-f', here('stand-ins.Dockerfile'), context],
  );
}
