import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { stopAllProcesses } from '../../dev/managed-process.ts';
import { choosePort, onFreePort } from '../../dev/servers/ports.ts';
import { isRunning } from '../../dev/start/await-ready.ts';
import { describeBacklog } from '../../dev/start/backlog.ts';
import { claimDataFolder } from '../../dev/start/data-folder.ts';
import { loadLocalKeys } from '../../dev/start/keys.ts';
import { readableLog, startProcesses } from '../../dev/start/processes.ts';
import { loadConfig } from '../../platform/config.ts';

test('the local keys are created once, usable and readable only by their owner', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'start-'));
  t.teardown(() => rm(dir, { recursive: true }));
  const file = join(dir, 'keys.json');
  const keys = await loadLocalKeys(file);
  t.deepEqual(await loadLocalKeys(file), keys);
  t.is((await stat(file)).mode & 0o777, 0o600);
  const addresses = { MONGODB_URI: 'mongodb://127.0.0.1/', TEMPORAL_ADDRESS: '127.0.0.1:7233' };
  const config = loadConfig({ ...keys, ...addresses });
  t.true(config.masterKeys.every((one) => 'key' in one && one.key.symmetricKeySize === 32));
  t.is(config.masterKeys.length, 1);
  t.is(config.customerHashKey.symmetricKeySize, 32);
});

test('logs are shown for people, one line per entry', async (t) => {
  const printed = new PassThrough();
  const log = readableLog(printed);
  const fields = { requestId: 'req_1', status: 201, more: { deep: true }, ms: 4 };
  log.write(`${JSON.stringify({ level: 30, service: 'api', ...fields, msg: 'request' })}\n`);
  log.end('not an entry\n');
  const [first, second, ...others] = (await text(printed)).trimEnd().split('\n');
  t.regex(first ?? '', /\[api\] request.*req_1.*201/);
  t.is(second, 'not an entry');
  t.deepEqual(others, []);
});

test('a data folder is created once, and reused by the same version', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'layout-'));
  t.teardown(() => rm(dir, { recursive: true }));
  const dataDir = join(dir, 'data');
  await claimDataFolder(dataDir);
  await mkdir(join(dataDir, 'mongodb'));
  await t.notThrowsAsync(claimDataFolder(dataDir));
});

test('a data folder of an older version is left untouched, with instructions', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'layout-'));
  t.teardown(() => rm(dir, { recursive: true }));
  await mkdir(join(dir, 'mongodb'));
  await t.throwsAsync(claimDataFolder(dir), { message: /another version.*DATA_DIR=/s });
  t.deepEqual(await readdir(dir), ['mongodb']);
});

test('a process that loses its port to another one between the choice and the start gets the next free one', async (t) => {
  const script = `require('node:http').createServer((_, res) => res.end('ready'))
    .listen(Number(process.env.PORT), '127.0.0.1')`;
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const chosen: number[] = [];
  const preferredPort = await choosePort(
    { variable: 'PORT', what: 'it', preferredPort: 0 },
    {},
    log,
  );
  await onFreePort(async () => {
    const port = await choosePort({ variable: 'PORT', what: 'the API', preferredPort }, {}, log);
    chosen.push(port);
    if (chosen.length === 1) {
      const other = createServer((socket) => socket.end()).listen(port, '127.0.0.1');
      await once(other, 'listening');
      t.teardown(() => other.close());
    }
    const env = { ...process.env, PORT: String(port) };
    const service = { name: 'API', args: ['-e', script], env };
    await startProcesses([service], [`http://127.0.0.1:${port}/`], [port], log);
  });
  t.teardown(stopAllProcesses);
  t.is(chosen.length, 2);
  t.is(await (await fetch(`http://127.0.0.1:${chosen[1]}/`)).text(), 'ready');
  t.deepEqual(lines, [`Port ${preferredPort} is taken; the API uses ${chosen[1]}.`]);
});

test('a service with a backlog is running, and says how large and how old it is', async (t) => {
  const parts = { mongodb: true, temporal: true, worker: true };
  const answer = (status: number, body: object) => new Response(JSON.stringify(body), { status });
  t.true(await isRunning(answer(503, { ...parts, workflowsStart: false })));
  t.true(await isRunning(answer(200, {})));
  for (const part of Object.keys(parts)) {
    t.false(await isRunning(answer(503, { ...parts, [part]: false })), part);
  }
  t.false(await isRunning(answer(503, { error: { code: 'UNAVAILABLE' } })));
  t.false(await isRunning(new Response('no JSON', { status: 502 })));
  t.regex(
    describeBacklog({ count: 13_385, oldestMs: 7 * 60_000 }),
    /^13,385 purchases, refunds and messages wait from an earlier run, the oldest for 7 min/,
  );
});
