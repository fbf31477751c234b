import { ApplicationFailure } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import test from 'ava';
import { jobActivities } from '../../activities/jobs.ts';
import { compareOrderFile, findJob } from '../../models/jobs/index.ts';
import type { Models } from '../../models/schemas/index.ts';
import { newId } from '../../platform/ids.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';
import '../helpers/quiet-runtime.ts';

let models: TestDatabase['models'];
let giveBack: TestDatabase['giveBack'];
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
});
test.after.always(() => giveBack?.());

/** A queued comparison of one order that was never reported. */
async function comparison() {
  const [partnerId, integrationId] = [newId('partner'), newId('integration')];
  const createdAt = new Date();
  await models.integrations.create({ _id: integrationId, partnerId, name: 'till', createdAt });
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
