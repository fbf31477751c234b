import test from 'ava';
import { createAttemptRecorder } from '../../activities/messages.ts';
import { deliveryOf } from '../../models/webhooks/announce.ts';
import { newId } from '../../platform/ids.ts';
import { eventually } from '../helpers/eventually.ts';
import { overridden } from '../helpers/overridden.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';

let models: TestDatabase['models'];
let giveBack: TestDatabase['giveBack'];
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
});
test.after.always(() => giveBack?.());

const partnerId = 'prt_1';
const attempt = {
  at: new Date(),
  durationMs: 1,
  status: 204,
  error: null,
  answer: '',
  retryAfterMs: null,
};

async function delivery() {
  const row = deliveryOf('whe_1', {
    type: 'test.ping',
    partnerId,
    mode: 'TEST',
    at: new Date(),
    fact: newId('webhookEvent'),
    sequence: null,
    rewardId: null,
    data: {},
  } as const);
  const { _id } = await models.webhookDeliveries.create(row);
  return await models.webhookDeliveries.findOne({ partnerId, _id }).orFail();
}

/** Models that count their writes. */
function counting() {
  const counts = { writes: 0 };
  const stored = models.webhookDeliveries.collection;
  const collection = overridden(stored, {
    bulkWrite(...args: Parameters<typeof stored.bulkWrite>) {
      counts.writes += 1;
      return stored.bulkWrite(...args);
    },
  });
  return { counts, models: { ...models, webhookDeliveries: { collection } } as typeof models };
}

const isRecorded = async ({ _id }: { _id: string }) =>
  (await models.webhookDeliveries.findOne({ partnerId, _id }).orFail()).state === 'DELIVERED';

test('attempts that end at about the same time are recorded with one write, before the end', async (t) => {
  const { counts, models: counted } = counting();
  const recorder = createAttemptRecorder(counted);
  const all = [await delivery(), await delivery()];
  for (const one of all) recorder.add({ delivery: one, attempt });
  t.is(counts.writes, 0);
  await eventually(async () => (await Promise.all(all.map(isRecorded))).every(Boolean), 'both');
  t.is(counts.writes, 1);
  const later = await delivery();
  recorder.add({ delivery: later, attempt });
  await eventually(async () => await isRecorded(later), 'the next batch');
  await recorder.end();
  t.is(counts.writes, 2, 'nothing was left to write');
});

test('the rest is recorded at the end, and not once more afterwards', async (t) => {
  const { counts, models: counted } = counting();
  const recorder = createAttemptRecorder(counted);
  const one = await delivery();
  recorder.add({ delivery: one, attempt });
  await recorder.end();
  t.true(await isRecorded(one));
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.is(counts.writes, 1);
});

test('a write that fails fails the end, whenever it was made', async (t) => {
  const collection = { bulkWrite: () => Promise.reject(new Error('the database is away')) };
  const failing = { webhookDeliveries: { collection } } as unknown as typeof models;
  const recorder = createAttemptRecorder(failing);
  recorder.add({ delivery: await delivery(), attempt });
  await new Promise((resolve) => setTimeout(resolve, 100));
  await t.throwsAsync(recorder.end(), { message: 'the database is away' });
});
