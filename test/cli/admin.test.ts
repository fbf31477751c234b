import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { verifyPassword } from '../../platform/passwords.ts';
import { anotherOperator, Operator } from '../api/admin/helpers/operator.ts';
import { startAnotherAdminApi } from '../helpers/another-api.ts';
import { type Service, startService } from '../helpers/service.ts';

const run = promisify(execFile);
let service: Service;
let ada: Operator;
let dataDir: string;
test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
  dataDir = await mkdtemp(join(tmpdir(), 'admin-cli-'));
  await writeFile(
    join(dataDir, 'demo.json'),
    JSON.stringify({ adminUrl: ada.url, adminToken: ada.token }),
  );
});
test.after.always(async () => {
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command as an operator does; demo.json has the API's address. */
async function admin(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const { ADMIN_URL: _, ADMIN_TOKEN: __, ...inherited } = process.env;
  try {
    const options = { env: { ...inherited, DATA_DIR: dataDir, ...env } };
    return { code: 0, ...(await run(process.execPath, ['cli/admin.ts', ...args], options)) };
  } catch (error) {
    return error as Outcome;
  }
}

test('a partner is set up from the command line, from its name to an active rule', async (t) => {
  const json = async (...args: string[]) => JSON.parse((await admin([...args, '--json'])).stdout);
  const { partnerId } = await json('partners', 'create', '--name', 'Corner Shop');
  const { integrationId } = await json('integrations', 'create', partnerId, '--name', 'web shop');
  const made = await json(
    'credentials',
    'create',
    partnerId,
    '--integration-id',
    integrationId,
    '--mode',
    'TEST',
  );
  t.regex(made.secret, /^sk_test_/);
  t.deepEqual(made.credential.scopes, ['events:write', 'events:read']);
  const { credentialId } = made.credential;
  const rotated = await json('credentials', 'rotate', credentialId);
  const one = await json('credentials', 'revoke', credentialId, '--secret', made.secretId);
  t.truthy(one.secrets[0].revokedAt);
  t.is(rotated.credential.secrets.length, 2);
  t.truthy((await json('credentials', 'revoke', credentialId)).revokedAt);
  const rule = await json(
    'rules',
    'create',
    partnerId,
    '--points',
    '10',
    '--unit-cents',
    '100',
    '--claim-window',
    'PT5S',
  );
  t.true((await json('rules', 'activate', rule.ruleId)).active);
  t.is((await json('rules', partnerId)).items[0].claimWindow, 'PT5S');
  t.is((await json('audit', '--partner', partnerId)).items.length, 8);
});

test('tables fit 120 columns, and a list of one item is shown in full for copying', async (t) => {
  const backend = await service.partner();
  const { partnerId } = backend;
  const orders = ['short', 'another', `long-${'x'.repeat(150)}`];
  for (const externalOrderId of orders) {
    const sent = await backend.purchase({
      externalOrderId,
      customer: { phone: '+14155550123' },
      order: { subtotalCents: 100 },
    });
    t.is(sent.status, 201);
  }
  await ada.post(`/partners/${partnerId}/integrations`, { name: 'till \u0007\u001b[31m' });
  await service.flushed();
  for (const args of [
    ['partners'],
    ['integrations', partnerId],
    ['credentials', partnerId],
    ['service-accounts', partnerId],
    ['rules', partnerId],
    ['rewards', '--partner', partnerId],
    ['rewards', '--order', 'short'],
    ['events', '--partner', partnerId],
    ['integration-events', '--partner', partnerId],
    ['reviews', '--overdue'],
    ['audit'],
    ['audit', '--status', 'INTENDED'],
    ['operators'],
    ['proposals'],
    ['audit-runs'],
  ]) {
    const { code, stdout, stderr } = await admin(args);
    t.is(code, 0, stderr);
    for (const line of stdout.split('\n').filter((text) => text.startsWith('│')))
      t.true(line.length <= 120, `${args.join(' ')}: ${line.length}`);
    for (const control of ['\u0007', '\u001b']) t.false(stdout.includes(control));
  }
  t.regex((await admin(['rewards', '--order', 'short'])).stdout, /^temporalUrl +http\S+$/m);
  t.regex(
    (await admin(['rewards', '--partner', partnerId, '--limit', '2'])).stdout,
    /More: --cursor/,
  );
});

test('the test clock and the signature doctor work from the command line', async (t) => {
  const backend = await service.partner();
  const { partnerId, credentialId } = backend;
  const { body } = await backend.purchase();
  await service.rewardOf(body.reward.id);
  t.regex((await admin(['test-clock', 'expire', body.reward.id])).stdout, /^status +EXPIRED$/m);
  t.regex((await admin(['test-clock', 'claim', body.reward.id])).stderr, /^CONFLICT: /);
  t.regex((await admin(['test-clock', 'end-period', partnerId])).stderr, /^CONFLICT: .*plan/);
  t.regex((await admin(['test-clock', 'periods', partnerId])).stdout, /Nothing found/);

  const { headers } = await backend.purchase(undefined, {
    headers: { 'X-Partner-Timestamp': String(Date.now()) },
  });
  await service.flushed();
  const requestId = headers.get('x-request-id') ?? '';
  const refused = await admin(['credentials', 'refused', credentialId]);
  t.regex(refused.stdout, new RegExp(requestId));
  const { stdout } = await admin(['credentials', 'refused', credentialId, requestId]);
  t.regex(stdout, /MILLISECONDS/);
});

test('a refusal prints its code and message to standard error and exits with 1', async (t) => {
  const { code, stdout, stderr } = await admin([
    'reviews',
    'decide',
    'rev_none',
    '--uphold',
    '--reason-code',
    'FRAUD',
  ]);
  t.is(code, 1);
  t.is(stdout, '');
  t.regex(stderr, /^NOT_FOUND: /);
});

test('flags take precedence over the environment, and that over demo.json', async (t) => {
  const wrong = { ADMIN_TOKEN: 'wrong' };
  t.regex((await admin(['partners'], wrong)).stderr, /^INVALID_ADMIN_TOKEN/);
  t.is((await admin(['partners', '--token', ada.token], wrong)).code, 0);
  t.regex(
    (await admin(['partners'], { ADMIN_URL: 'http://127.0.0.1:1/admin/v1' })).stderr,
    /^UNREACHABLE/,
  );
  t.regex((await admin(['partners'], { DATA_DIR: join(dataDir, 'none') })).stderr, /^NO_TARGET/);
});

test('operators are created, given a role, and revoked from the command line', async (t) => {
  const json = async (...args: string[]) => {
    const { stdout, stderr } = await admin([...args, '--json']);
    return stdout ? JSON.parse(stdout) : stderr;
  };
  const email = ['--email', `${randomUUID()}@operators.example`];
  const made = await json('operators', 'create', '--name', 'Lin', '--role', 'viewer', ...email);
  t.deepEqual(made.tokens, []);
  const { token } = await anotherOperator(service, 'Bob', 'viewer');
  const bob = ['--token', token];
  const { operatorId } = await json('operators', 'show', 'me', ...bob);
  t.like(await json('operators', 'show', 'me', ...bob), { operatorId, role: 'viewer' });
  t.regex(String(await json('operators', 'show', operatorId, ...bob)), /^FORBIDDEN/);
  const { tokenId } = await json('operators', 'rotate', ...bob);
  t.truthy(await json('operators', 'revoke', 'me', '--token-id', tokenId, ...bob));
  t.deepEqual((await json('operators', 'confirm', operatorId)).introductions, []);
  t.like(await json('operators', 'role', operatorId, '--role', 'finance'), { role: 'finance' });
  t.truthy((await json('operators', 'revoke', operatorId)).revokedAt);
  t.regex((await admin(['operators'])).stdout, /Bob/);
});

test('sensitive operations are proposed, listed, approved and rejected from the command line', async (t) => {
  const approvals = { ...service.config.approvals, isOn: true };
  const config = { ...service.config, approvals };
  const api = await startAnotherAdminApi(service, { config });
  t.teardown(() => api.stop());
  const bob = await anotherOperator(service, 'Bob');
  const env = { ADMIN_URL: api.adminUrl };
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const topUp = async (reference: string) => {
    const money = [
      '--amount-cents',
      '5000',
      '--currency',
      'USD',
      '--external-reference',
      reference,
    ];
    const { stdout } = await admin(['top-up', partnerId, ...money], env);
    const [, proposalId = ''] = /admin proposals approve (prp_\w+)/.exec(stdout) ?? [];
    return proposalId;
  };
  const proposalId = await topUp('wire 1');
  t.regex((await admin(['proposals', '--partner', partnerId], env)).stdout, /PROPOSED/);
  t.regex((await admin(['proposals', 'approve', proposalId], env)).stderr, /^FORBIDDEN/);
  const asBob = { ...env, ADMIN_TOKEN: bob.token };
  t.regex((await admin(['proposals', 'show', proposalId], asBob)).stdout, /wire 1/);
  t.is((await admin(['proposals', 'approve', proposalId], asBob)).code, 0);
  t.is((await ada.get(`/partners/${partnerId}/wallet`)).body.fundingCents, 5_000);
  const rejected = ['proposals', 'reject', await topUp('wire 2'), '--reason', 'no'];
  t.regex((await admin(rejected, asBob)).stdout, /REJECTED/);
});

test('a decision takes either --uphold or --dismiss', async (t) => {
  for (const flags of [[], ['--uphold', '--dismiss']]) {
    const { code, stderr } = await admin([
      'reviews',
      'decide',
      'rev_1',
      '--reason-code',
      'FRAUD',
      ...flags,
    ]);
    t.is(code, 1);
    t.regex(stderr, /--uphold/);
  }
});

test('the first operator is created directly in the database, and the token works', async (t) => {
  const env = {
    ...process.env,
    MONGODB_URI: service.config.mongodbUri,
    MASTER_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    CUSTOMER_HASH_KEY: Buffer.alloc(32).toString('base64'),
  };
  const email = ['--email', 'Grace@operators.example'];
  const args = ['cli/create-admin.ts', '--name', 'Grace', ...email];
  const { stdout } = await run(process.execPath, args, { env });
  const token = stdout.split('\n')[1] ?? '';
  t.is((await new Operator(service, token).get('/partners')).status, 200);
  t.like((await new Operator(service, token).get('/operators/me')).body, { role: 'admin' });
  const [, operatorId] = /^(opr_\w+)/.exec(stdout) ?? [];
  const operation = await service.models.auditEntries.findOne({ targetId: operatorId ?? '' });
  t.like(operation, { actorId: 'system', action: 'operator.create', status: 'DONE' });
  t.false(JSON.stringify(operation).includes('operators.example'));
  const user = await service.models.users.findOne({ email: 'grace@operators.example' });
  t.is(user?.operatorId, operatorId);
  t.true(await verifyPassword(stdout.split('\n')[3] ?? '', user?.passwordHash ?? ''));
});

test('a customer is found by the partner’s data, and erased', async (t) => {
  const shop = await service.partner();
  const { reward } = (await shop.purchase()).body;
  const { customerId } = await service.rewardOf(reward.id);
  const json = async (...args: string[]) =>
    JSON.parse((await admin(['customers', ...args, '--json'])).stdout);
  const email = ['--email', 'customer@example.com'];
  t.is((await json('find', shop.partnerId, ...email)).customerId, customerId);
  const erased = await json('erase', customerId, '--reference', 'request 1');
  t.like(erased, { customerId, reference: 'request 1' });
});
