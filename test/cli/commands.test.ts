import { execFile } from 'node:child_process';
import { createSecretKey } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { createCheckpoints } from '../../audit/checkpoints.ts';
import type { LoggedCheckpoint, LoggedHead } from '../../audit/index.ts';
import { readCheckpointLog, readTreeHeadLog } from '../../cli/checkpoint-log.ts';
import { createProgressBar } from '../../cli/progress-bar.ts';
import { settingsOf } from '../../cli/settings.ts';
import { findSignInLink } from '../../models/identity/sign-in-links.ts';
import { appendLines, createAuditLog } from '../../platform/audit-log.ts';
import { createLogger } from '../../platform/logger.ts';
import { formatMasterKey, parseMasterKey } from '../../platform/master-keys.ts';
import { Operator } from '../helpers/operator.ts';
import { type Service, startService } from '../helpers/service.ts';

const checkpoints = createCheckpoints(createSecretKey(Buffer.alloc(32, 1)));
const sealed = (seq: number) =>
  checkpoints.seal({
    partnerId: 'prt_1',
    mode: 'LIVE',
    seq,
    hash: 'abc',
    seenAt: new Date('2026-05-01T12:00:00Z'),
  });

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'checkpoint-log-'));
  t.teardown(() => rm(path, { recursive: true }));
  return path;
}

async function readAll(file: string): Promise<LoggedCheckpoint[]> {
  const read: LoggedCheckpoint[] = [];
  for await (const one of readCheckpointLog(file)) read.push(one);
  return read;
}

const silent = createLogger('test', { level: 'silent' });

test('checkpoints appended to the file are read back line by line, unchanged', async (t) => {
  const file = join(await folder(t), 'new', 'audit.log');
  const append = createAuditLog(file, silent);
  await append('checkpoint', [sealed(1), sealed(2)]);
  await append('checkpoint', [sealed(3)]);
  const read = await readAll(file);
  t.deepEqual(read, [
    { line: 1, checkpoint: sealed(1) },
    { line: 2, checkpoint: sealed(2) },
    { line: 3, checkpoint: sealed(3) },
  ]);
  for (const { checkpoint } of read) t.true(checkpoints.isGenuine(checkpoint));
  t.is((await stat(file)).mode & 0o777, 0o600);
});

test('without a file, checkpoints go to the process’s log at any level, and are read from there too', async (t) => {
  const file = join(await folder(t), 'worker.log');
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  await createAuditLog(undefined, log)('checkpoint', [sealed(7)]);
  const text = [
    'worker-1  | not JSON',
    'worker-1  | {"level":30,"msg":"worker is running"}',
    `worker-1  | ${lines[0]?.trim()}`,
    'worker-1  | {"checkpoint":{"partnerId":"prt_1","acc',
  ].join('\n');
  await writeFile(file, text);
  t.deepEqual(await readAll(file), [{ line: 3, checkpoint: sealed(7) }]);
});

test('tree heads are read from the same file, whatever else is in it', async (t) => {
  const file = join(await folder(t), 'audit.log');
  const append = createAuditLog(file, silent);
  await append('checkpoint', [sealed(1)]);
  await append('signingKey', [{ kid: 'one' }]);
  await append('treeHead', ['a.signed.head']);
  const heads: LoggedHead[] = [];
  for await (const head of readTreeHeadLog(file)) heads.push(head);
  t.deepEqual(heads, [{ line: 3, signed: 'a.signed.head' }]);
  t.is((await readAll(file)).length, 1);
});

test('a log without a checkpoint, and a missing one, are refused', async (t) => {
  const file = join(await folder(t), 'other.log');
  await writeFile(file, '{"level":30}\n');
  await t.throwsAsync(readAll(file), { message: /contains no checkpoint/ });
  await t.throwsAsync(readAll(`${file}.gone`), { code: 'ENOENT' });
  t.is(await readFile(file, 'utf8'), '{"level":30}\n');
});

test('a checkpoint is genuine only under its key, and only with every field unchanged', (t) => {
  const one = sealed(1);
  t.true(checkpoints.isGenuine(one));
  t.false(createCheckpoints(createSecretKey(Buffer.alloc(32, 2))).isGenuine(one));
  for (const [field, value] of Object.entries(one)) {
    const other = value instanceof Date ? new Date(value.getTime() + 1) : `${value}0`;
    t.false(checkpoints.isGenuine({ ...one, [field]: other }), field);
  }
  t.false(checkpoints.isGenuine({ ...one, seenAt: 'never' as unknown as Date }));
});

test('a full file is kept under another name, and a folder of them is read as one', async (t) => {
  const folderOf = await folder(t);
  const file = join(folderOf, 'audit.log');
  const append = (seq: number) => appendLines(file, [{ checkpoint: sealed(seq) }], { fullAt: 100 });
  for (const seq of [1, 2, 3]) await append(seq);
  const names = await readdir(folderOf);
  t.is(names.length, 3);
  for (const name of names) t.regex(name, /^audit\.log(\.\d{8}T\d{6}\.\d{3}Z-\d+)?$/);
  const read = await readAll(folderOf);
  t.deepEqual(read.map(({ checkpoint }) => checkpoint.seq).toSorted(), [1, 2, 3]);
  // Of two that find it full at once, neither fails, and no line is lost.
  await Promise.all(Array.from({ length: 20 }, (_, nth) => append(nth + 4)));
  t.is((await readAll(folderOf)).length, 23);
});

const run = promisify(execFile);
let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

test('the first operator is created directly in the database: by name with a token, by email with a link', async (t) => {
  const env = {
    ...process.env,
    MONGODB_URI: service.config.mongodbUri,
    MASTER_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    CUSTOMER_HASH_KEY: Buffer.alloc(32).toString('base64'),
  };
  const args = ['cli/create-admin.ts', '--name', 'Grace'];
  const { stdout } = await run(process.execPath, args, { env });
  const token = stdout.split('\n')[1] ?? '';
  t.is((await new Operator(service, token).get('/partners')).status, 200);
  t.like((await new Operator(service, token).get('/operators/me')).body, { role: 'admin' });
  const [, operatorId] = /^(opr_\w+)/.exec(stdout) ?? [];
  const operation = await service.models.auditEntries.findOne({ targetId: operatorId ?? '' });
  t.like(operation, { actorId: 'system', action: 'operator.create', status: 'DONE' });

  const withEmail = [...args, '--email', 'Grace@operators.example'];
  const { stdout: other } = await run(process.execPath, withEmail, { env });
  const user = await service.models.users.findOne({ email: 'grace@operators.example' });
  t.true(other.startsWith(user?.operatorId ?? '?'));
  const [, path = '', signInToken = ''] =
    /^http.+:3001(\/sign-in\/link\/)(\S+)$/m.exec(other) ?? [];
  t.is(path, '/sign-in/link/');
  t.is((await findSignInLink({ ...service, now: Date.now }, signInToken))?.userId, user?._id);
  t.is((await run(process.execPath, [...args, '--if-none'], { env })).stdout, '');
});

test('a demonstration makes a partner with a TEST key, and its first signed purchase', async (t) => {
  const { config } = service;
  const env = {
    ...process.env,
    MONGODB_URI: config.mongodbUri,
    MASTER_KEYS: config.masterKeys.map(formatMasterKey).join(),
    CUSTOMER_HASH_KEY: config.customerHashKey.export().toString('base64'),
    HEADER_BRAND: config.http.headerBrand,
  };
  const args = ['cli/demo.ts', '--name', 'First shop', '--url', service.baseUrl];
  const { stdout } = await run(process.execPath, args, { env });
  const [, apiKey = ''] = /^PARTNER_KEY=(\S+)$/m.exec(stdout) ?? [];
  t.regex(stdout, /^PARTNER_SECRET=\S+$/m);
  const key = await service.models.credentials.findOne({ apiKey }).orFail();
  t.like(key, { mode: 'TEST', revokedAt: null });
  const { partnerId } = key;
  const [event, ...others] = await service.models.orderEvents.find({ partnerId });
  t.like(event, { mode: 'TEST' });
  t.is(others.length, 0);
  t.regex(stdout, /Points +499$/m);
});

/** Runs `master-key`, which needs no more than the keys there are. */
const masterKey = async (args: string[], MASTER_KEYS = '') =>
  (await run(process.execPath, ['cli/master-key.ts', ...args], { env: { MASTER_KEYS } })).stdout;

test('a new master key comes first, and the others stay', async (t) => {
  const first = (await masterKey(['new', '--id', '2026'])).trim();
  const text = (await masterKey(['new', '--id', '2027'], first)).trim();
  t.true(text.startsWith('2027:') && text.endsWith(`,${first}`), text);
  const keys = text.split(',').map(parseMasterKey);
  t.true(keys.every((one) => one !== null && 'key' in one && one.key.symmetricKeySize === 32));
  for (const [args, why] of [
    [['new', '--id', '2027'], /has a key “2027” already/],
    [['new', '--id', 'a b'], /letters, digits/],
    [['new', '--with', 'vault:transit'], /vault:<mount>/],
  ] as const) {
    await t.throwsAsync(masterKey([...args], text), { message: why });
  }
  await t.throwsAsync(masterKey(['wrap']), { message: /MASTER_KEYS is not set/ });
  await t.throwsAsync(masterKey(['wrap'], 'k:short'), { message: /"MASTER_KEYS" must be/ });
});

function aTerminal(isTTY: boolean) {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  return { written, out: { isTTY, columns: 60, write } };
}

test('the bar shows the progress and the total in one line that fits, and disappears', (t) => {
  const { written, out } = aTerminal(true);
  let nowMs = 0;
  const bar = createProgressBar(out, () => nowMs);
  bar.show('chains', 0.25);
  bar.show('too soon', 0.3);
  nowMs += 1_000;
  bar.show('x'.repeat(100), 0.5);
  bar.end();
  t.is(written.length, 3);
  t.regex(written[0] ?? '', /█{6}░{18} {2}25 % {2}chains$/);
  t.true((written[1] ?? '').length < 70);
  t.is(written[2], '\r\u001b[K');
});

test('without a terminal no bar is drawn', (t) => {
  const { written, out } = aTerminal(false);
  const bar = createProgressBar(out);
  bar.show('chains', 0.5);
  bar.end();
  t.deepEqual(written, []);
});

test('without a database in the environment, commands use what npm start runs', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'settings-'));
  t.teardown(() => rm(dataDir, { recursive: true }));
  const demo = { mongodbUri: 'mongodb://127.0.0.1:27018/demo', portalUrl: 'http://127.0.0.1:3005' };
  await writeFile(join(dataDir, 'demo.json'), JSON.stringify(demo));
  await writeFile(join(dataDir, 'keys.json'), JSON.stringify({ MASTER_KEYS: 'of npm start' }));
  t.like(await settingsOf({ DATA_DIR: dataDir }), {
    MONGODB_URI: demo.mongodbUri,
    PORTAL_URL: demo.portalUrl,
    MASTER_KEYS: 'of npm start',
  });
  const own = { DATA_DIR: dataDir, MONGODB_URI: 'mongodb://production' };
  t.deepEqual(await settingsOf(own), { TEMPORAL_ADDRESS: 'unused', ...own });
});
