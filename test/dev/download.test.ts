import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { download } from '../../dev/servers/download.ts';

const body = 'a program, or so it says';
const sha256 = createHash('sha256').update(body).digest('hex');

async function fixture(t: ExecutionContext, status = 200) {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'Content-Length': body.length }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dir = await mkdtemp(join(tmpdir(), 'download-'));
  t.teardown(async () => {
    server.close();
    await rm(dir, { recursive: true });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
  return { url, dir, target: join(dir, 'file') };
}

test('a download with the pinned content is saved', async (t) => {
  const { url, target } = await fixture(t);
  await download({ url, sha256 }, target, 'file', t.log);
  t.is(await readFile(target, 'utf8'), body);
});

test('a download with another checksum is refused, and nothing of it remains', async (t) => {
  const { url, dir, target } = await fixture(t);
  const pinned = { url, sha256: sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) };
  const error = await t.throwsAsync(download(pinned, target, 'file', t.log));
  t.regex(error.message, /checksum .*: refused/);
  t.deepEqual(await readdir(dir), []);
});

test('a download that the host lacks fails with its response', async (t) => {
  const { url, target } = await fixture(t, 404);
  const error = await t.throwsAsync(download({ url, sha256 }, target, 'file', t.log));
  t.regex(error.message, /answers 404/);
});

test('a download from an unreachable host names the host', async (t) => {
  const { target } = await fixture(t);
  const pinned = { url: 'http://127.0.0.1:9/file', sha256 };
  const error = await t.throwsAsync(download(pinned, target, 'file', t.log));
  t.is(error.message, '127.0.0.1:9 cannot be reached');
});
