import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import test, { type ExecutionContext } from 'ava';
import { ensureSchedules, hasSchedules, scheduleIdOf } from '../../temporal/schedules.ts';
import { eventually } from '../helpers/eventually.ts';
import '../helpers/servers.ts';

let client: Client;
test.before(async () => {
  const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS ?? '' });
  client = new Client({ connection });
});
test.after.always(() => client?.connection.close());

/** A separate task queue, whose schedules are deleted after the test. */
function ownTaskQueue(t: ExecutionContext): string {
  const taskQueue = `test_${randomUUID().slice(0, 8)}`;
  t.teardown(async () => {
    for (const name of names) {
      await scheduleOf(name, taskQueue).delete();
    }
  });
  return taskQueue;
}

const names = [
  ...['audit', 'tree-head', 'retention', 'billing'],
  ...['reconciliation', 'shops', 'points-end'],
];

const scheduleOf = (name: string, taskQueue: string) =>
  client.schedule.getHandle(scheduleIdOf(name, taskQueue));

for (const [name, workflowType] of [
  ['billing', 'closeBillingPeriods'],
  ['reconciliation', 'reconcileWorkflows'],
  ['shops', 'repairShops'],
  ['points-end', 'endPoints'],
] as const) {
  test(`${name} runs every hour on its own task queue, one round at a time, even if set up repeatedly`, async (t) => {
    const taskQueue = ownTaskQueue(t);
    await Promise.all([1, 2].map(() => ensureSchedules(client, taskQueue)));
    await ensureSchedules(client, taskQueue);
    const { spec, policies, action } = await scheduleOf(name, taskQueue).describe();
    t.deepEqual(
      spec.intervals?.map(({ every }) => every),
      [3_600_000],
    );
    t.is(policies.overlap, 'SKIP');
    t.like(action, { type: 'startWorkflow', workflowType, taskQueue });
  });
}

test('a missing schedule is detected, and setting it up reconciles at once', async (t) => {
  const taskQueue = ownTaskQueue(t);
  t.false(await hasSchedules(client, taskQueue));
  await ensureSchedules(client, taskQueue);
  t.true(await hasSchedules(client, taskQueue));
  const actionsOf = async (name: string) =>
    (await scheduleOf(name, taskQueue).describe()).info.numActionsTaken;
  await eventually(async () => (await actionsOf('reconciliation')) === 1, 'a round is started');
  t.is(await actionsOf('billing'), 0);

  await scheduleOf('audit', taskQueue).delete();
  t.false(await hasSchedules(client, taskQueue));
  await ensureSchedules(client, taskQueue);
  t.is(await actionsOf('reconciliation'), 1, 'existing schedules are not triggered again');
});
