import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import test from 'ava';
import { ensureSchedules, scheduleIdOf } from '../../platform/schedules.ts';

let client: Client;
test.before(async () => {
  const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '' });
  client = new Client({ connection });
});
test.after.always(() => client?.connection.close());

test('the billing runs every hour on its own task queue, one round at a time, however often it is set up', async (t) => {
  const taskQueue = `test_${randomUUID().slice(0, 8)}`;
  const handle = client.schedule.getHandle(scheduleIdOf('billing', taskQueue));
  t.teardown(() => handle.delete());
  await Promise.all([1, 2].map(() => ensureSchedules(client, taskQueue)));
  await ensureSchedules(client, taskQueue);
  const { spec, policies, action } = await handle.describe();
  t.deepEqual(
    spec.intervals?.map(({ every }) => every),
    [3_600_000],
  );
  t.is(policies.overlap, 'SKIP');
  t.like(action, { type: 'startWorkflow', workflowType: 'closeBillingPeriods', taskQueue });
});
