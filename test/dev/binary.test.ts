import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Binary, binaryOfFolder, firstUsable, type Source } from '../../dev/servers/binary.ts';
import { mongodSources, temporalSources } from '../../dev/servers/sources.ts';
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

function source(name: string, find: () => Promise<Binary | undefined>): Source {
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

test('servers come from the PATH, the cache, the official download, or PyPI, in this order', async (t) => {
  const places = { env: { PATH: '' }, cacheDir: await folder(t), log: t.log };
  const names = (sources: Source[]) => [...new Set(sources.map(({ name }) => name))];
  t.deepEqual(names(mongodSources(places)), ['the PATH', 'the cache', 'mongodb.org', 'PyPI']);
  t.deepEqual(names(temporalSources(places)), ['the PATH', 'the cache', 'github.com', 'PyPI']);
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
