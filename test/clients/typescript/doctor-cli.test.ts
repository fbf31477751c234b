import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Client, mistakes, rightClient, signatureOf } from '../../helpers/wrong-clients.ts';
import { runCli } from './run-cli.ts';
import { answer, key, purchaseAnswer, refuse, secret, startServer } from './scripted-server.ts';

const body = '{"externalOrderId": "A1"}';
const env = { PARTNER_KEY: key, PARTNER_SECRET: secret };
const none = { rotated: '', otherMode: '', otherCredential: '' };
const right = rightClient({ key, secret, body, nowSeconds: 1_700_000_000 });

/** The command that the developer of this client types. */
function typed(client: Client): string[] {
  const { timestamp } = client;
  const { signature } = signatureOf(client);
  return ['doctor', '--body', body, '--timestamp', timestamp, '--signature', signature];
}

/** The causes that the command reports. */
async function causesOf(args: string[], input = ''): Promise<string[]> {
  const { stdout, stderr } = await runCli([...args, '--json'], env, input);
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout).findings.map(({ cause }: { cause: string }) => cause);
}

async function aFile(t: ExecutionContext, text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'partner-doctor-'));
  t.teardown(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'file'), text);
  return join(directory, 'file');
}

test('correct input is confirmed, with exit code 0', async (t) => {
  const { code, stdout } = await runCli(typed(right), env);
  t.is(code, 0);
  t.regex(stdout, /Nothing is wrong/);
  t.true(stdout.includes(signatureOf(right).signature));
});

test('a signature alone is enough for a diagnosis, with exit code 1', async (t) => {
  const causes = ['METHOD', 'SECRET_CHANGED', 'SIGNATURE_FORM', 'BODY'] as const;
  for (const cause of causes) {
    const [make] = Object.values(mistakes[cause]);
    const client = { ...right, ...make?.(right, none), sentBody: body };
    const args = typed({ ...client, hash: cause === 'BODY' ? compact : client.hash });
    t.deepEqual(await causesOf(args), [cause]);
    const { code, stdout } = await runCli(args, env);
    t.is(code, 1);
    t.true(stdout.includes(`${cause}: `) && stdout.includes('What to do'));
  }
});

const compact = (text: string): string => right.hash(JSON.stringify(JSON.parse(text)));

test('the signed string is compared line by line, from a file or standard input', async (t) => {
  const lines = signatureOf(right).text.split('\n');
  const theirs = lines.with(2, '/api/v1/partner/purchases/').join('\n');
  const file = await aFile(t, theirs);
  const args = ['doctor', '--body', body, '--canonical'];
  t.deepEqual(await causesOf([...args, `@${file}`]), ['PATH']);
  t.deepEqual(await causesOf([...args, '-'], theirs), ['PATH']);
  const { stdout } = await runCli([...args, '-'], env, theirs);
  t.regex(stdout, /3 {2}path +\/api\/v1\/partner\/purchases\n +yours +\S+\/ +<-- differs/);
});

test('a final line break added by an editor is ignored if it was not signed', async (t) => {
  const { text } = signatureOf(right);
  const canonical = ['--canonical', '-'];
  t.deepEqual(await causesOf([...typed(right), ...canonical], `${text}\n`), []);
  const client = { ...right, join: (lines: string[]) => `${lines.join('\n')}\n` };
  t.deepEqual(await causesOf([...typed(client), ...canonical], `${text}\n`), ['LINES']);
  const alone = ['doctor', '--body', body, ...canonical];
  t.deepEqual(await causesOf(alone, `${text}\n`), ['LINES']);
});

test('without the body, the other lines are compared', async (t) => {
  const { text, signature } = signatureOf(right);
  const args = ['doctor', '--canonical', '-'];
  t.deepEqual(await causesOf(args, text), []);
  t.deepEqual(await causesOf([...args, '--signature', signature], text), []);
  t.deepEqual(await causesOf(args, text.replace('POST', 'Post')), ['METHOD']);
});

test('a body is read from a file, byte for byte', async (t) => {
  const file = await aFile(t, `${body}\n`);
  const args = typed(right).with(2, `@${file}`);
  t.deepEqual(await causesOf(args), ['BODY']);
});

test('a former secret, and that of the demo’s other mode, are recognized by their signature', async (t) => {
  const old = typed({ ...right, secret: 'sk_test_old' });
  t.deepEqual(await causesOf([...old, '--old-secret', 'sk_test_old']), ['OTHER_SECRET']);
  t.deepEqual(await causesOf(old), ['UNKNOWN']);
  const file = await aFile(t, '');
  const DATA_DIR = join(file, '..');
  const live = { key: 'pk_live', secret: 'sk_live' };
  const demo = { baseUrl: 'http://127.0.0.1:1', test: { key, secret }, live };
  await writeFile(join(DATA_DIR, 'demo.json'), JSON.stringify(demo));
  const args = typed({ ...right, secret: live.secret });
  const { stdout } = await runCli([...args, '--json'], { DATA_DIR });
  t.is(JSON.parse(stdout).findings[0].cause, 'OTHER_SECRET');
});

test('with nothing to compare, the expected string and its signature are shown', async (t) => {
  const args = ['doctor', '--method', 'GET', '--path', '/api/v1/partner/plans'];
  const { code, stdout } = await runCli(args, env);
  t.is(code, 0);
  t.regex(stdout, /e3b0c44298fc1c14/);
  t.regex(stdout, /Give --signature or --canonical/);
});

test('--send sends the pasted request unchanged and explains the response', async (t) => {
  const refused = refuse(401, 'INVALID_SIGNATURE');
  const { baseUrl, seen } = await startServer(t, refused, answer(201, purchaseAnswer));
  const to = ['--send', '--url', baseUrl];
  const wrong = typed({ ...right, ...mistakes.METHOD['lower case']?.(right, none) });
  const first = await runCli([...wrong, ...to], env);
  t.is(first.code, 1);
  t.regex(first.stdout, /METHOD[\s\S]*The service refuses it[\s\S]*INVALID_SIGNATURE[\s\S]*req_9/);
  t.is(seen[0]?.headers['x-partner-signature'], wrong.at(-1));
  t.false(seen[0]?.isSignatureValid);

  const second = await runCli(['doctor', '--body', body, '--key', 'mine', ...to], env);
  t.is(second.code, 0, second.stdout);
  t.regex(second.stdout, /The service accepts it/);
  t.true(seen[1]?.isSignatureValid);
  t.is(seen[1]?.headers['idempotency-key'], 'mine');
  t.deepEqual(String(seen[1]?.body), body);

  const third = await runCli(['doctor', '--body', body, ...to, '--json'], env);
  t.is(JSON.parse(third.stdout).answer.eventId, 'evt_1');
});

test('without --send nothing is sent', async (t) => {
  const { baseUrl, seen } = await startServer(t, answer(201, purchaseAnswer));
  await runCli([...typed(right), '--url', baseUrl], env);
  t.is(seen.length, 0);
});

test('unusable input exits with 2', async (t) => {
  for (const args of [
    ['doctor', '--body', '-', '--canonical', '-'],
    ['doctor', '--body', '@/nothing/here'],
  ]) {
    const { code, stderr } = await runCli(args, env);
    t.is(code, 2, stderr);
  }
});
