import test from 'ava';
import type { ReconciliationRunDoc } from '../../../models/schemas/processes.ts';
import { newId } from '../../../platform/ids.ts';
import { type AuditDatabase, openAuditDatabase } from './helpers/audit-database.ts';

let database: AuditDatabase;
test.before(async () => {
  database = await openAuditDatabase();
});
test.after.always(() => database?.close());

async function round(changes: Partial<ReconciliationRunDoc>): Promise<void> {
  const at = new Date();
  await database.models.reconciliationRuns.create({
    _id: newId('reconciliationRun'),
    startedAt: at,
    endedAt: at,
    lookedAt: 0,
    startedAgain: 0,
    failed: 0,
    rewardIds: [],
    summary: 'as it was found',
    ...changes,
  });
}

/** The audit's checks of open rewards. */
async function openRewardChecks() {
  const { checks } = await database.audit();
  return checks
    .filter(({ name }) => name.startsWith('open rewards'))
    .map(({ lookedAt, faults, culprits }) => ({ lookedAt, faults, culprits }));
}

test('the audit counts restarted workflows, and names the round that failed to restart one', async (t) => {
  const nothing = { lookedAt: 0, faults: 0, culprits: [] };
  t.deepEqual(await openRewardChecks(), [nothing, nothing]);
  await round({ lookedAt: 7, startedAgain: 2 });
  await round({ lookedAt: 9, startedAgain: 3 });
  t.deepEqual(await openRewardChecks(), [
    { ...nothing, lookedAt: 9 },
    { ...nothing, lookedAt: 5 },
  ]);
  await round({
    lookedAt: 8,
    failed: 4,
    summary: '4 workflows could not be started. First: PNR_1.',
  });
  const [running, restarted] = await openRewardChecks();
  t.like(running, { lookedAt: 8, faults: 1 });
  t.regex(
    running?.culprits[0] ?? '',
    /^rcr_\w+: 4 workflows could not be started\. First: PNR_1\.$/,
  );
  t.is(restarted?.lookedAt, 0, 'rounds that the previous audit counted are not counted again');
});
