import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { pack } from 'tar-stream';
import {
  cachedOfficial,
  installOfficial,
  type OfficialProgram,
  officialMongod,
  officialTemporal,
} from '../../dev/servers/official.ts';
import { mongodWheel, temporalWheel } from '../../dev/servers/wheels.ts';

const script = '#!/bin/sh\necho here\n';
const tar = pack();
tar.entry({ name: 'program-1/README' }, 'read me');
tar.entry({ name: 'program-1/bin/program' }, script);
tar.finalize();
const archive = await buffer(tar.pipe(createGzip()));
const sha256 = createHash('sha256').update(archive).digest('hex');

/** Starts a vendor's server that publishes the archive, with this text as its checksums. */
async function vendor(t: ExecutionContext, checksums: string, member = '/bin/program') {
  const server = createServer(({ url }, response) => {
    response.end(url === '/program-1.tgz' ? archive : checksums);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cacheDir = await mkdtemp(join(tmpdir(), 'official-'));
  t.teardown(async () => {
    server.close();
    await rm(cacheDir, { recursive: true });
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const official: OfficialProgram = {
    program: 'program',
    version: '1',
    member,
    archiveUrl: `${base}/program-1.tgz`,
    checksumsUrl: `${base}/program-1.tgz.sha256`,
  };
  return { official, cacheDir, install: () => installOfficial(official, cacheDir, t.log) };
}

test('an archive with its vendor’s published SHA-256 is accepted, and found again', async (t) => {
  const others = `${'0'.repeat(64)}  program-2.tgz\n`;
  const { official, cacheDir, install } = await vendor(t, `${others}${sha256}  program-1.tgz\n`);
  t.is(await cachedOfficial(official, cacheDir), undefined);
  const { path } = await install();
  t.is(await readFile(path, 'utf8'), script);
  t.true(((await stat(path)).mode & 0o111) !== 0);
  t.deepEqual(await readdir(cacheDir), ['program-1']);
  t.deepEqual(await cachedOfficial(official, cacheDir), { path });
});

test('an archive with a wrong or missing checksum is refused, and nothing of it remains', async (t) => {
  for (const [checksums, refusal] of [
    [`${'0'.repeat(64)}  program-1.tgz`, /checksum .*: refused/],
    [`${sha256}  program-2.tgz`, /no SHA-256 of program-1\.tgz/],
    [`${sha256.slice(0, 32)}  program-1.tgz`, /no SHA-256 of program-1\.tgz/],
    ['', /no SHA-256/],
  ] as const) {
    const { cacheDir, install } = await vendor(t, checksums);
    const error = await t.throwsAsync(install());
    t.regex(error.message, refusal);
    t.deepEqual(await readdir(cacheDir), []);
  }
});

test('an archive without the program is refused, and nothing of it remains', async (t) => {
  const { cacheDir, install } = await vendor(t, `${sha256}  program-1.tgz`, '/bin/other');
  const error = await t.throwsAsync(install());
  t.regex(error.message, /holds no \/bin\/other/);
  t.deepEqual(await readdir(cacheDir), []);
});

test('each file from a package index has a pinned SHA-256', (t) => {
  const files = ['linux-x64', 'linux-arm64', 'darwin-arm64'].flatMap((platform) => {
    const [temporal, mongod] = [temporalWheel(platform), mongodWheel(platform)];
    return [temporal?.wheel, mongod?.wheel, mongod?.libraries?.deb, mongod?.spare?.wheel];
  });
  const pinned = files.filter((file) => file !== undefined);
  t.is(pinned.length, 6);
  for (const { url, sha256 } of pinned) t.regex(sha256, /^[0-9a-f]{64}$/, url);
});

test('downloads from vendors have a fixed version and are checked by SHA-256', async (t) => {
  for (const { version, archiveUrl, checksumsUrl } of [
    await officialMongod(),
    officialTemporal(),
  ]) {
    t.regex(version, /^\d+\.\d+\.\d+$/);
    t.true(archiveUrl.includes(version));
    t.regex(archiveUrl, /^https:/);
    t.regex(checksumsUrl, /^https:.*(\.sha256|\/checksums\.txt)$/);
  }
});
