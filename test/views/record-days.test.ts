import test from 'ava';
import { reviewIdOf } from '../../domain/review.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { exportRecords } from '../../jobs/export-records.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { ExportedRows, ExportJob } from '../../models/schemas/jobs.ts';
import { newId } from '../../platform/ids.ts';
import { readAuditLog } from '../../views/audit-log.ts';
import { readTransactions } from '../../views/funding.ts';
import { readDecidedReviews, readOpenReviews } from '../../views/reviews.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';

const firstMs = Date.parse('2026-01-01T12:00:00Z');
const [days, ofEachDay] = [60, 20];
const day = { fromDay: '2026-02-01', toDay: '2026-02-01' };

const partners = ['prt_a', 'prt_b'];

let database: Database;
let models: Models;
/** Stores records of every kind for each day, of two partners alternately. */
test.before(async () => {
  database = await openDatabase();
  models = database.models;
  const all = Array.from({ length: days * ofEachDay }, (_, place) => ({
    at: new Date(firstMs + Math.floor(place / ofEachDay) * dayMs + place),
    partnerId: partners[place % 2] ?? '',
  }));
  await models.auditEntries.collection.insertMany(
    all.map(({ at, partnerId }) => ({
      _id: newId('audit', at.getTime()),
      partnerId,
      actorId: 'opr_1',
      at,
      details: {},
      action: 'partner.update',
      status: 'DONE',
      requestId: 'req_1',
      targetId: partnerId,
    })) as never[],
  );
  await models.ledger.collection.insertMany(
    all.map(({ at, partnerId }, place) => ({
      _id: newId('transaction', at.getTime()),
      partnerId,
      reference: `r${place}`,
      at,
      kind: 'TOP_UP',
      rewardId: null,
      postings: [1, -1].map((amount) => ({
        account: amount > 0 ? 'funding' : 'cash',
        unit: 'CENTS',
        amount,
        balanceAfter: amount,
      })),
      mode: 'LIVE' as const,
      seq: place + 1,
      previousHash: '',
      hash: 'h',
    })),
  );
  await models.reviews.collection.insertMany(
    all.flatMap(({ at, partnerId }) =>
      ['OPEN', 'DECIDED'].map((status) => ({
        _id: reviewIdOf(newId('event', at.getTime())),
        partnerId,
        status,
        mode: 'LIVE',
        rewardId: 'PNR_1',
        refundEventId: 'evt_1',
        externalOrderId: 'A1',
        points: 1,
        workflowId: 'w',
        openedAt: at,
        dueAt: new Date(at.getTime() + dayMs),
        rounds: 1,
      })),
    ) as never[],
  );
});
test.after.always(() => database?.close());

interface Profiled {
  command: { find?: string };
  docsExamined: number;
  hasSortStage?: boolean;
}

test.serial('a day’s list is read from an index, and reads no other day', async (t) => {
  const db = models.connection.db;
  if (!db) throw new Error('the database should be connected');
  const deps = { models, now: () => firstMs };
  const page = { limit: 25 };
  await db.command({ profile: 2 });
  for (const partnerId of [undefined, 'prt_a']) {
    const expected = partnerId === undefined ? ofEachDay : ofEachDay / 2;
    const audit = { actorId: undefined, targetId: undefined, status: undefined };
    const ofReviews = { mode: undefined, partnerId, ...day };
    const queue = { isOverdue: false, assigneeId: undefined };
    const lists = {
      audit: await readAuditLog(deps, { ...audit, partnerId, isAlone: undefined, ...day }, page),
      ledger: await readTransactions(deps, { mode: 'LIVE', partnerId, ...day }, page),
      decided: await readDecidedReviews(deps, ofReviews, page),
      open: await readOpenReviews(deps, { ...ofReviews, ...queue }, undefined),
    };
    for (const [name, { items }] of Object.entries(lists)) {
      t.is(items.length, expected, `${name} of ${partnerId ?? 'all'}`);
    }
  }
  await db.command({ profile: 0 });
  const finds = await db
    .collection<Profiled>('system.profile')
    .find({ 'command.find': /^(audit_entries|ledger_transactions|reviews)$/ })
    .toArray();
  t.is(finds.length, 8);
  for (const { command, docsExamined, hasSortStage = false } of finds) {
    t.false(hasSortStage, command.find);
    // The index on a partner's reviews contains decided and open ones.
    t.true(docsExamined <= 2 * ofEachDay, `${command.find}: ${docsExamined} documents examined`);
  }
});

test('date ranges are inclusive, and open if an end is missing', async (t) => {
  const deps = { models };
  const count = async (range: { fromDay?: string; toDay?: string }) => {
    const read = await readTransactions(deps, { mode: 'LIVE', ...range }, { limit: 2_000 });
    return read.items.length;
  };
  t.is(await count({ fromDay: '2026-01-01', toDay: '2026-01-02' }), 2 * ofEachDay);
  t.is(await count({ toDay: '2026-01-01' }), ofEachDay);
  t.is(await count({ fromDay: '2026-03-01' }), ofEachDay);
  t.is(await count({}), days * ofEachDay);
  t.is(await count({ fromDay: '2026-01-02', toDay: '2026-01-01' }), 0);
});

test('an export contains the newest rows up to a limit, says if there were more, and can be repeated', async (t) => {
  const job: ExportJob = {
    _id: newId('job'),
    partnerId: 'opr_1',
    mode: 'LIVE',
    kind: 'EXPORT',
    status: 'RUNNING',
    input: { list: 'LEDGER', filter: { mode: 'LIVE', partnerId: 'prt_b' } },
    isOpen: true,
    progress: { done: 0, total: 1, of: 'ROWS' },
    result: null,
    problem: null,
    requestedBy: 'opr_1',
    createdAt: new Date(),
    heartbeatAt: new Date(),
    expiresAt: new Date(Date.now() + dayMs),
  };
  const progress: number[] = [];
  const run = (maxRows: number) =>
    exportRecords(
      { models, now: Date.now },
      job,
      async ({ done, total }) => void progress.push(done / total),
      maxRows,
    );
  t.deepEqual(await run(101), { rows: 100, isCut: true });
  const all = days * ofEachDay;
  t.deepEqual(await run(all), { rows: all, isCut: false });
  t.is(progress.at(-1), 1);
  const kept = await models.jobRows
    .find({ jobId: job._id })
    .sort({ seq: 1 })
    .lean<ExportedRows[]>();
  const rows = kept.flatMap((one) => one.rows);
  t.is(rows.length, all);
  const dates = rows.map(([at]) => String(at));
  t.deepEqual(dates, dates.toSorted().toReversed());
});
