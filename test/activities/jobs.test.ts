import { ApplicationFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import test from 'ava';
import { auditActivities, jobActivities, retentionActivities } from '../../activities/jobs.ts';
import { compareOrderFile, findJob } from '../../jobs/index.ts';
import type { Models } from '../../models/schemas/index.ts';
import { newId } from '../../platform/ids.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';
import '../helpers/quiet-runtime.ts';
import { createSecretKey, randomBytes } from 'node:crypto';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createCheckpoints } from '../../audit/index.ts';
import { ledgerKey } from '../../models/ledger/index.ts';

let models: TestDatabase['models'];
let giveBack: TestDatabase['giveBack'];

/** A queued comparison of one order that was never reported. */
async function comparison() {
  const [partnerId, integrationId] = [newId('partner'), newId('integration')];
  const createdAt = new Date();
  await models.integrations.create({ _id: integrationId, partnerId, name: 'till', createdAt });
  await models.partners.collection.insertOne({ _id: partnerId, currency: 'USD' } as never);
  async function* file() {
    yield Buffer.from('externalOrderId,subtotal\nnever,1\n');
  }
  const { _id: jobId } = await compareOrderFile(
    { models, now: Date.now },
    { partnerId, requestedBy: 'usr_1' },
    { mode: 'TEST', integrationId, range: null },
    file(),
  );
  return { partnerId, jobId };
}

function newEnvironment() {
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const told: unknown[] = [];
  environment.on('heartbeat', (details) => told.push(details));
  return { environment, told };
}

const statusOf = async ({ partnerId, jobId }: { partnerId: string; jobId: string }) =>
  (await findJob(models, partnerId, jobId))?.status;

test('a job is run and reports its progress', async (t) => {
  const job = await comparison();
  const { environment, told } = newEnvironment();
  await environment.run(() => jobActivities({ models }).runJob(job));
  t.is(await statusOf(job), 'DONE');
  t.like(told.at(-1), { done: 1, total: 1, of: 'ROWS' });
});

test('a job of a partner with another one running is tried again soon', async (t) => {
  const job = await comparison();
  const running = { partnerId: job.partnerId, _id: newId('job'), isOpen: true };
  await models.jobs.collection.insertOne({
    ...running,
    kind: 'BACK_TEST',
    status: 'RUNNING',
    heartbeatAt: new Date(),
  } as never);
  const { environment } = newEnvironment();
  const error = await t.throwsAsync(
    environment.run(() => jobActivities({ models }).runJob(job)),
    { instanceOf: ApplicationFailure },
  );
  t.like(error, { type: 'PartnerIsBusyError', nextRetryDelay: '5 seconds' });
  t.falsy(error.nonRetryable);
  t.is(await statusOf(job), 'QUEUED');
});

test('any other failure is retried as it is', async (t) => {
  const job = await comparison();
  const jobs = { findOne: () => Promise.reject(new Error('away')) };
  const failing = { ...models, jobs } as unknown as Models;
  const { environment } = newEnvironment();
  const running = environment.run(() => jobActivities({ models: failing }).runJob(job));
  await t.throwsAsync(running, { message: 'away' });
});

test('a job stops when its worker shuts down', async (t) => {
  const job = await comparison();
  const { environment } = newEnvironment();
  environment.cancel();
  await t.throwsAsync(environment.run(() => jobActivities({ models }).runJob(job)));
  t.not(await statusOf(job), 'DONE');
});

let deps: ActivityDeps;

const newEnvironmentOfAudit = () =>
  new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });

test('an audit reports its progress, is stored, and returns its result', async (t) => {
  const environment = newEnvironmentOfAudit();
  let heartbeats = 0;
  environment.on('heartbeat', () => {
    heartbeats += 1;
  });
  const { runAudit } = auditActivities(deps);
  const result = await environment.run(runAudit);
  const { summary, faults } = await models.auditRuns.findOne().sort({ _id: -1 }).orFail();
  t.deepEqual(result, { summary, faults });
  t.is(faults, 0);
  t.regex(summary, /^Clean/);
  t.true(heartbeats > 0);
});

test('an interrupted audit continues after the last partner that was done', async (t) => {
  const own = await takeDatabase();
  t.teardown(own.giveBack);
  const { ledger, auditRuns } = own.models;
  const partners = ['prt_a', 'prt_b', 'prt_c'];
  const forged = partners.map((partnerId) => ({
    _id: `txn_${partnerId}`,
    partnerId,
    mode: 'LIVE',
    seq: 1,
    reference: 'topUp:1',
    previousHash: '',
    hash: 'forged',
    postings: [],
    rewardId: null,
    at: daysAgo(1),
  }));
  await ledger.collection.insertMany(forged as never[]);
  const { runAudit } = auditActivities({ ...deps, models: own.models });
  const newest = async () => {
    const { checks } = await auditRuns.findOne().sort({ _id: -1 }).orFail();
    return checks.map(({ name, lookedAt, faults, culprits }) => [name, lookedAt, faults, culprits]);
  };
  await newEnvironmentOfAudit().run(runAudit);
  const whole = await newest();

  const interrupted = newEnvironmentOfAudit();
  let kept: { after: string } | undefined;
  interrupted.on('heartbeat', (progress) => {
    if (progress?.after !== 'prt_a') return;
    kept = JSON.parse(JSON.stringify(progress));
    interrupted.cancel();
  });
  await t.throwsAsync(interrupted.run(runAudit));
  t.is(kept?.after, 'prt_a');
  await ledger.deleteOne({ partnerId: 'prt_a' });
  const next = new MockActivityEnvironment(
    { heartbeatDetails: kept },
    { logger: new DefaultLogger('ERROR') },
  );
  await next.run(runAudit);
  t.deepEqual(await newest(), whole);
});

test('an audit ends when its worker shuts down', async (t) => {
  const environment = newEnvironmentOfAudit();
  environment.cancel();
  const { runAudit } = auditActivities(deps);
  await t.throwsAsync(environment.run(runAudit));
});

test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
  const key = createSecretKey(randomBytes(32));
  deps = {
    models,
    hashKey: ledgerKey(key),
    checkpoints: createCheckpoints(key),
    config: {},
  } as ActivityDeps;
});

test.after.always(async () => {
  await giveBack?.();
});

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

test('contacts are erased after the configured number of days', async (t) => {
  const contactRetentionDays = 10;
  const { eraseOldContacts } = retentionActivities({ models, contactRetentionDays });
  const [old, young] = [newId('dataKey'), newId('dataKey')];
  const key = { partnerId: 'prt_1', customerId: 'cus_1', wrapped: 'v1', erasedAt: null };
  await models.dataKeys.create([
    { ...key, _id: old, createdAt: daysAgo(11) },
    { ...key, _id: young, createdAt: daysAgo(9) },
  ]);
  t.is(await eraseOldContacts(), 1);
  t.is((await models.dataKeys.findById(old).orFail()).wrapped, null);
  t.is((await models.dataKeys.findById(young).orFail()).wrapped, 'v1');
  t.is(await eraseOldContacts(), 0);
});

test('addresses of requests are shortened after thirty days', async (t) => {
  const { shortenAddresses } = retentionActivities({ models, contactRetentionDays: 10 });
  await models.requestLog.collection.insertMany(
    [31, 29].map((days) => ({
      _id: `iev_${days}`,
      partnerId: 'prt_1',
      requestId: `req_${days}`,
      receivedAt: daysAgo(days),
      address: '192.0.2.1',
      network: '192.0.2.0/24',
    })) as never[],
  );
  t.is(await shortenAddresses(), 1);
  const stored = await models.requestLog.find().sort({ receivedAt: 1 });
  t.deepEqual(
    stored.map(({ address }) => address),
    [null, '192.0.2.1'],
  );
  t.is(await shortenAddresses(), 0);
});
