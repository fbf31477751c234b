import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { readableLog } from '../../dev/start/keep-running.ts';
import { loadLocalKeys } from '../../dev/start/keys.ts';
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
  t.is(config.masterKeys[0]?.key.symmetricKeySize, 32);
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
