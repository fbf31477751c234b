import { createSecretKey, randomBytes } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import test from 'ava';
import type { ActivityDeps } from '../../activities/deps.ts';
import { auditActivities } from '../../activities/jobs.ts';
import { createCheckpoints } from '../../models/audit/index.ts';
import { ledgerKey } from '../../models/commit.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';
import '../helpers/quiet-runtime.ts';

let models: TestDatabase['models'];
let giveBack: TestDatabase['giveBack'];
let deps: ActivityDeps;
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
  const key = createSecretKey(randomBytes(32));
  deps = {
    models,
    hashKey: ledgerKey(key),
    checkpoints: createCheckpoints(key),
  } as ActivityDeps;
});
test.after.always(() => giveBack?.());

const newEnvironment = () =>
  new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });

test('an audit reports its progress, is stored, and returns its result', async (t) => {
  const environment = newEnvironment();
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

test('an audit ends when its worker shuts down', async (t) => {
  const environment = newEnvironment();
  environment.cancel();
  const { runAudit } = auditActivities(deps);
  await t.throwsAsync(environment.run(runAudit));
});
