import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { parse } from 'csv-parse/sync';
import {
  type ComparisonScope,
  compareOrderFile,
  findJob,
  findJobs,
  orderFaultsCsv,
  PartnerIsBusyError,
  runJob,
} from '../../../models/jobs/index.ts';
import type { OrderEventDoc } from '../../../models/schemas/events.ts';
import type { ComparisonJob, JobProgress } from '../../../models/schemas/jobs.ts';
import { createIntegration } from '../../../operations/integrations.ts';
import { createPartner } from '../../../operations/partners.ts';
import { newId } from '../../../platform/ids.ts';
import { operate } from '../../helpers/operate.ts';
import { type Database, openDatabase } from '../../helpers/processes.ts';
import { anOrderEvent } from '../../helpers/signed-requests.ts';

const receivedMs = Date.parse('2026-03-01T00:00:00Z');
const hourMs = 3_600_000;

/** Yields a file in chunks, as an upload arrives. */
async function* file(text: string) {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
}

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

async function aShop() {
  const { models } = database;
  // MongoDB deletes expired documents by its own clock.
  const deps = { models, now: Date.now };
  const { _id: partnerId } = await operate(deps, createPartner, { name: 'Corner Shop' });
  const { _id: integrationId } = await operate(deps, createIntegration, {
    partnerId,
    name: 'web shop',
  });
  const owner = { partnerId, requestedBy: 'usr_1' };
  const scope: ComparisonScope = { mode: 'LIVE', integrationId, range: null };

  return {
    models,
    deps,
    partnerId,
    integrationId,
    owner,
    scope,
    /** The event of a reported purchase. */
    reported: (
      externalOrderId: string,
      subtotalCents: number,
      changes: Partial<OrderEventDoc> = {},
    ) =>
      anOrderEvent({
        partnerId,
        integrationId,
        mode: 'LIVE' as const,
        externalOrderId,
        receivedAt: new Date(receivedMs),
        purchase: { currency: 'USD', arithmetic: { subtotalCents } } as OrderEventDoc['purchase'],
        ...changes,
      }),
    insert: (events: OrderEventDoc[]) =>
      models.orderEvents.collection.insertMany(events, { ordered: false }),
    /** Uploads a file and runs its comparison. */
    async compared(text: string, changes: Partial<ComparisonScope> = {}) {
      const progress: JobProgress[] = [];
      const { _id: jobId } = await compareOrderFile(
        deps,
        owner,
        { ...scope, ...changes },
        file(text),
      );
      await runJob(deps, { partnerId, jobId }, (one) => progress.push(one));
      const job = (await findJob(models, partnerId, jobId)) as ComparisonJob;
      const csv = await buffer(orderFaultsCsv({ models }, partnerId, jobId));
      const faults = parse<Record<string, string>>(csv, { columns: true, bom: true });
      return { job, faults, progress };
    },
  };
}

test('each discrepancy in a file is named, with its row and its event', async (t) => {
  const { models, partnerId, integrationId, reported, insert, compared } = await aShop();
  const good = reported('good', 4_990);
  const cheap = reported('cheap', 4_500);
  const returned = reported('returned', 1_000);
  const unlisted = reported('unlisted', 1);
  const refund = {
    ...reported('returned', 1),
    type: 'REFUND' as const,
    externalRefundId: 'refund',
    purchaseEventId: returned._id,
  };
  await insert([
    ...[good, cheap, returned, refund, unlisted],
    reported('in TEST', 1, { mode: 'TEST' }),
    reported('elsewhere', 1, { integrationId: 'int_other' }),
    reported('anothers', 1, { partnerId: newId('partner') }),
    reported('too early', 1, { receivedAt: new Date(receivedMs - hourMs) }),
  ]);
  const { job, faults, progress } = await compared(
    [
      'externalOrderId;subtotal;currency;refunded',
      'good;49,90;USD;no',
      'cheap;49,90;EUR;no',
      'never;1;;',
      'good;49,90;USD;no',
      'returned;10.00;USD;',
      'returned too;1;USD;yes',
      'in TEST;0,01;;',
      'elsewhere;0,01;;',
      'anothers;0,01;;',
      '=cmd|calc;1;;',
    ].join('\n'),
    { range: { fromDay: '2026-03-01', toDay: '2026-03-02' } },
  );
  t.like(job, { status: 'DONE', isOpen: undefined, problem: null });
  t.deepEqual(job.result?.faults, { MISSING: 6, NOT_IN_FILE: 1, DUPLICATE: 1, MISMATCHED: 1 });
  t.is(job.result?.matched, 2);
  t.is(job.result?.isCut, false);
  t.deepEqual(
    faults.map(({ fault, externalOrderId, row, eventId, what }) => [
      fault,
      externalOrderId,
      row,
      eventId,
      what,
    ]),
    [
      [
        'MISMATCHED',
        'cheap',
        '3',
        cheap._id,
        'subtotal: 49.90 in the file, 45.00 reported; currency: EUR in the file, USD reported',
      ],
      ['MISSING', 'never', '4', '', 'was never reported'],
      ['DUPLICATE', 'good', '5', '', 'is already in row 2'],
      ['MISSING', 'returned too', '7', '', 'was never reported'],
      ['MISSING', 'in TEST', '8', '', `was reported in TEST, by ${integrationId}`],
      ['MISSING', 'elsewhere', '9', '', 'was reported by another integration, int_other'],
      ['MISSING', 'anothers', '10', '', 'was never reported'],
      ['MISSING', "'=cmd|calc", '11', '', 'was never reported'],
      ['NOT_IN_FILE', 'unlisted', '', unlisted._id, 'was reported on 2026-03-01T00:00:00.000Z'],
    ],
  );
  t.is(job.result?.examples.length, 9);
  t.like(progress.at(-1), { done: 2, total: 2, of: 'DAYS' });
  t.is(
    await models.jobRows.countDocuments({ partnerId, part: 'ORDERS' }),
    0,
    'the file is deleted',
  );
});

test('refunds are compared if the file contains them', async (t) => {
  const { reported, insert, compared } = await aShop();
  const returned = reported('returned', 1_000);
  const kept = reported('kept', 1_000);
  const refund = {
    ...reported('returned', 1),
    type: 'REFUND' as const,
    externalRefundId: 'refund',
    purchaseEventId: returned._id,
  };
  await insert([returned, kept, refund]);
  const { faults } = await compared(
    'externalOrderId,subtotal,refunded\nreturned,10,no\nkept,10,yes\n',
  );
  t.deepEqual(
    faults.map(({ externalOrderId, what }) => [externalOrderId, what]),
    [
      ['returned', 'refund: not refunded in the file, refunded reported'],
      ['kept', 'refund: refunded in the file, not refunded reported'],
    ],
  );
});

test('each discrepancy in a file of 10,000 orders is named, and the progress advances', async (t) => {
  const { reported, insert, compared } = await aShop();
  const rows = 10_000;
  const lines = ['externalOrderId,subtotalCents,note'];
  const expected: string[][] = [];
  const events: OrderEventDoc[] = [];
  for (let n = 0; n < rows; n++) {
    const row = String(n + 2);
    const order = n % 997 === 5 ? `order-${n - 1}` : `order-${n}`;
    if (n % 997 === 5) expected.push(['DUPLICATE', order, row]);
    const isMissing = n % 1_009 === 8;
    if (isMissing) expected.push(['MISSING', order, row]);
    const isOther = n % 991 === 9 && !isMissing;
    if (isOther) expected.push(['MISMATCHED', order, row]);
    lines.push(`${order},${isOther ? n + 1 : n},"bücher, ${n}"`);
    if (!isMissing) {
      events.push(reported(`order-${n}`, n, { receivedAt: new Date(receivedMs + n) }));
    }
  }
  await insert(events);
  const { job, faults, progress } = await compared(lines.join('\r\n'), {
    range: { fromDay: '2026-03-01', toDay: '2026-03-01' },
  });
  const isListed = new Set(lines.slice(1).map((line) => line.slice(0, line.indexOf(','))));
  // A row that repeats an order replaces another order, which is therefore reported but not in the file.
  const unlisted = Array.from({ length: rows }, (_, n) => `order-${n}`)
    .filter((order, n) => !isListed.has(order) && n % 1_009 !== 8)
    .map((order) => ['NOT_IN_FILE', order, '']);
  const isDuplicate = new Set(
    expected.filter(([kind]) => kind === 'DUPLICATE').map(([, , row]) => row),
  );
  const named = expected.filter(([kind, , row]) => kind === 'DUPLICATE' || !isDuplicate.has(row));
  t.deepEqual(
    faults.map(({ fault, externalOrderId, row }) => [fault, externalOrderId, row]),
    [...named, ...unlisted],
  );
  t.true(faults.length > 40);
  t.is(job.result?.matched, rows - named.length);
  t.true(progress.length > 15);
  t.true(progress.some(({ done, of }) => of === 'ROWS' && done > 0 && done < rows));
});

test('an unreadable file is refused on arrival, and nothing is stored', async (t) => {
  const { models, deps, partnerId, owner, scope } = await aShop();
  const faulty: [text: string, message: RegExp][] = [
    [`externalOrderId,subtotal\n${'A1,1\n'.repeat(1_200)}A2,much\n`, /^Row 1202: subtotal must be/],
    ['externalOrderId,subtotal\n', /^Row 2: the file has a header and no orders\.$/],
  ];
  for (const [text, message] of faulty) {
    const refused = { code: 'VALIDATION_FAILED', message };
    await t.throwsAsync(compareOrderFile(deps, owner, scope, file(text)), refused);
  }
  const strange = { ...scope, integrationId: newId('integration') };
  const text = 'externalOrderId,subtotal\nA1,1\n';
  await t.throwsAsync(compareOrderFile(deps, owner, strange, file(text)), {
    code: 'VALIDATION_FAILED',
  });
  for (const [fromDay, toDay] of [
    ['2026-03-02', '2026-03-01'],
    ['2025-01-01', '2026-03-01'],
  ] as const) {
    const range = { ...scope, range: { fromDay, toDay } };
    await t.throwsAsync(compareOrderFile(deps, owner, range, file(text)), {
      code: 'VALIDATION_FAILED',
    });
  }
  t.is(await models.jobRows.countDocuments({ partnerId }), 0);
  t.is(await models.jobs.countDocuments({ partnerId }), 0);
});

test('a partner has one comparison at a time, even if two are started at once', async (t) => {
  const { models, deps, partnerId, owner, scope } = await aShop();
  const text = 'externalOrderId,subtotal\nA1,1\n';
  const two = await Promise.allSettled(
    [1, 2].map(() => compareOrderFile(deps, owner, scope, file(text))),
  );
  t.deepEqual(two.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  t.is(await models.jobRows.countDocuments({ partnerId }), 1);
  const conflict = { code: 'CONFLICT', message: /Wait until it is done/ };
  await t.throwsAsync(compareOrderFile(deps, owner, scope, file(text)), conflict);
  const [open] = await findJobs(models, partnerId, 'ORDER_COMPARISON', 5);
  await runJob(deps, { partnerId, jobId: open?._id ?? '' }, () => undefined);
  await t.notThrowsAsync(compareOrderFile(deps, owner, scope, file(text)));
});

test('an interrupted comparison starts again, and finds each discrepancy once', async (t) => {
  const { models, deps, partnerId, owner, scope } = await aShop();
  const text = `externalOrderId,subtotal\n${Array.from({ length: 1_200 }, (_, n) => `A${n},1`).join('\n')}`;
  const { _id: jobId } = await compareOrderFile(deps, owner, scope, file(text));
  const job = { partnerId, jobId };
  const dying = runJob(deps, job, ({ done }) => {
    if (done > 1_000) throw new Error('the worker died');
  });
  await t.throwsAsync(dying, { message: 'the worker died' });
  t.is((await findJob(models, partnerId, jobId))?.status, 'RUNNING');
  t.is(await models.jobRows.countDocuments({ jobId, part: 'FAULTS' }), 2);
  await runJob(deps, job, () => undefined);
  const csv = await buffer(orderFaultsCsv({ models }, partnerId, jobId));
  t.is(parse(csv, { columns: true, bom: true }).length, 1_200);
  await runJob(deps, job, () => t.fail('a finished job runs again'));
});

test('a partner’s jobs run one after the other, and an abandoned one does not hold up the rest', async (t) => {
  const { models, deps, partnerId, owner, scope } = await aShop();
  const job = await compareOrderFile(deps, owner, scope, file('externalOrderId,subtotal\nA,1'));
  const ref = { partnerId, jobId: job._id };
  const other = { ...job, _id: newId('job'), kind: 'BACK_TEST', status: 'RUNNING' as const };
  await models.jobs.collection.insertOne({ ...other, heartbeatAt: new Date() } as never);
  const busy = { instanceOf: PartnerIsBusyError };
  await t.throwsAsync(() => runJob(deps, ref, () => undefined), busy);
  t.is((await findJob(models, partnerId, job._id))?.status, 'QUEUED');
  await models.jobs.updateOne({ _id: other._id }, { heartbeatAt: new Date(Date.now() - 61_000) });
  await runJob(deps, ref, () => undefined);
  t.is((await findJob(models, partnerId, job._id))?.status, 'DONE');
  t.is((await findJob(models, partnerId, other._id))?.status, 'QUEUED');
});

test('a comparison whose file was deleted says so, and ends', async (t) => {
  const { models, deps, partnerId, owner, scope } = await aShop();
  const { _id: jobId } = await compareOrderFile(
    deps,
    owner,
    scope,
    file('externalOrderId,subtotal\nA,1'),
  );
  await models.jobRows.deleteMany({ partnerId });
  await runJob(deps, { partnerId, jobId }, () => undefined);
  const job = await findJob(models, partnerId, jobId);
  t.like(job, { status: 'FAILED', problem: 'The file is no longer stored. Upload it again.' });
  await t.notThrowsAsync(runJob(deps, { partnerId, jobId: newId('job') }, () => undefined));
});

test('one partner’s jobs are invisible to others', async (t) => {
  const { models, deps, partnerId, owner, scope } = await aShop();
  const { _id: jobId } = await compareOrderFile(
    deps,
    owner,
    scope,
    file('externalOrderId,subtotal\nA,1'),
  );
  await runJob(deps, { partnerId, jobId }, () => undefined);
  const other = newId('partner');
  t.is(await findJob(models, other, jobId), null);
  t.deepEqual(await findJobs(models, other, 'ORDER_COMPARISON', 5), []);
  const csv = await buffer(orderFaultsCsv({ models }, other, jobId));
  t.deepEqual(parse(csv, { columns: true, bom: true }), []);
});
