import test from 'ava';
import type { Mode } from '../../../domain/mode.ts';
import { readFigures } from '../../../models/views/usage.ts';
import { openDatabase } from '../../helpers/processes.ts';

const nowMs = Date.parse('2026-05-01T12:00:00Z');

/** Documents with the fields that the figures read and those that unique indexes require. */
const numbered = (count: number, of: (n: number) => object) =>
  Array.from({ length: count }, (_, n) => ({ _id: `doc_${n}`, partnerId: 'prt_1', ...of(n) }));

test('the figures count open rewards, and read no closed ones', async (t) => {
  const database = await openDatabase();
  const { models } = database;
  const mode: Mode = 'LIVE';
  const statuses = ['PENDING', 'PENDING', 'AWAITING_FUNDING', 'ADMIN_REVIEW'];
  await models.rewards.collection.insertMany(
    numbered(500, (n) => ({
      purchaseEventId: `evt_${n}`,
      status: statuses[n] ?? 'EXPIRED',
      mode,
      currency: 'USD',
      liabilityCents: 250,
    })) as never[],
  );
  await models.orderEvents.collection.insertMany(
    numbered(500, (n) => ({
      type: 'PURCHASE',
      idempotencyKeyHash: `${n}`,
      externalOrderId: `${n}`,
    })) as never[],
  );
  await models.outbox.collection.insertMany(
    numbered(2, (n) => ({
      kind: 'START',
      mode,
      rewardId: `PNR_${n}`,
      at: new Date(nowMs - 1_000 * (n + 1)),
      setApartAt: null,
    })) as never[],
  );
  await models.reviews.collection.insertMany(
    numbered(500, (n) => ({
      status: n < 3 ? 'OPEN' : 'DECIDED',
      mode,
      dueAt: new Date(n < 1 ? nowMs - 1 : nowMs + 1),
    })) as never[],
  );
  await models.auditRuns.collection.insertMany([
    { _id: 'aud_1', partnerId: null, endedAt: new Date(nowMs - 2_000), faults: 7 },
    { _id: 'aud_2', partnerId: null, endedAt: new Date(nowMs - 1_000), faults: 2 },
    ...numbered(100, (n) => ({ _id: `aud_3${n}`, faults: 9 })),
  ] as never[]);

  await models.reconciliationRuns.collection.insertMany(
    numbered(100, (n) => ({ endedAt: new Date(nowMs + n), startedAgain: n, failed: 1 })) as never[],
  );

  const db = models.connection.db;
  await db?.command({ profile: 2 });
  t.deepEqual(await readFigures(models, nowMs), {
    outbox: {
      waiting: [
        { kind: 'START', count: 2, oldestAt: new Date(nowMs - 2_000) },
        { kind: 'SIGNAL', count: 0, oldestAt: null },
        { kind: 'FUND', count: 0, oldestAt: null },
      ],
      setApart: 0,
    },
    openRewards: [
      { status: 'PENDING', count: 2 },
      { status: 'AWAITING_FUNDING', count: 1 },
      { status: 'ADMIN_REVIEW', count: 1 },
    ],
    rewards: 500,
    missingFunds: [{ mode, currency: 'USD', cents: 250 }],
    reviews: { open: 3, overdue: 1 },
    lastAudit: { endedAt: new Date(nowMs - 1_000), faults: 2 },
    lastReconciliation: { endedAt: new Date(nowMs + 99), startedAgain: 99, failed: 1 },
  });
  await db?.command({ profile: 0 });
  const reads = await db?.collection('system.profile').find().toArray();
  t.true((reads ?? []).length >= 9);
  for (const { ns, command, planSummary, docsExamined = 0, keysExamined = 0 } of reads ?? []) {
    const read = `${ns} ${planSummary} ${JSON.stringify(command)}`;
    t.true(docsExamined <= 1, `${docsExamined} documents examined: ${read}`);
    t.true(keysExamined <= 5, `${keysExamined} keys examined: ${read}`);
  }
  await database.close();
});
