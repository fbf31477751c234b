import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { parse } from 'csv-parse/sync';
import type { FileRow, OrderColumnNames, OrderRow } from '../domain/orders.ts';
import type { PurchaseReport } from '../domain/purchase.ts';
import { recordPurchase } from '../events/purchase.ts';
import {
  type ComparisonScope,
  compareOrderFile,
  findJob,
  findJobs,
  orderFaultsCsv,
  PartnerIsBusyError,
  queueBackTest,
  runJob,
  takeStalled,
} from '../jobs/index.ts';
import { maxFileRows, parseOrderFile } from '../jobs/parse-order-file.ts';
import { parseOrderLines } from '../jobs/parse-order-lines.ts';
import { toEarningRule } from '../models/rewards/rules.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { BackTestJob, ComparisonJob, JobDoc, JobProgress } from '../models/schemas/jobs.ts';
import type { EarningRuleDoc } from '../models/schemas/rules.ts';
import { activateRule, createRule, type RuleFields } from '../operations/earning-rules.ts';
import { createIntegration } from '../operations/integrations.ts';
import { createPartner } from '../operations/partners.ts';
import { newId } from '../platform/ids.ts';
import { operate } from './helpers/operate.ts';
import { type Database, openDatabase, startProcess } from './helpers/processes.ts';
import { anOrderEvent } from './helpers/signed-requests.ts';

const dayMs = 24 * 3_600_000;
/** Noon today, because MongoDB deletes expired documents by its own clock. */
const nowMs = Math.floor(Date.now() / dayMs) * dayMs + dayMs / 2;

/** 1 point for every 1.00, at most 80 per customer and day. */
const activeFields: RuleFields = {
  kind: 'PER_AMOUNT',
  points: 1,
  unitCents: 100,
  mode: 'LIVE',
  currency: 'USD',
  capPerCustomerDayPoints: 80,
};

let database: Database;

async function aShop() {
  const { models } = database;
  const deps = { models, now: () => nowMs };
  const { _id: partnerId } = await operate(deps, createPartner, { name: 'Corner Shop' });
  const { _id: integrationId } = await operate(deps, createIntegration, {
    partnerId,
    name: 'web shop',
  });
  const active = await operate(deps, createRule, { partnerId, ...activeFields });
  await operate(deps, activateRule, { ruleId: active._id });
  const process = startProcess(database, { now: () => nowMs });
  let number = 0;

  /** Records a purchase as the API does. */
  async function buy(
    rule: EarningRuleDoc,
    daysAgo: number,
    customer: string,
    subtotalCents: number,
  ) {
    number += 1;
    const atMs = nowMs - daysAgo * dayMs + number;
    const report: PurchaseReport = {
      partnerId,
      integrationId,
      credentialId: 'key_1',
      mode: rule.mode,
      eventId: newId('event', atMs),
      rewardId: newId('reward'),
      requestId: newId('request'),
      idempotencyKeyHash: `${number}`,
      payloadHash: `${number}`,
      receivedAt: new Date(atMs).toISOString(),
      request: { method: 'POST', path: '/purchases', status: 201 },
      workflowId: `${partnerId}/${number}`,
      externalOrderId: `order-${number}`,
      subtotalCents,
      currency: rule.currency,
      occurredAt: null,
      customerId: `cus_${partnerId}_${customer}`,
      delivery: 'SERVICE',
      claimTokenHash: `${partnerId}/${number}`,
      sealed: '',
    };
    const events = { ...process, models, sealer: database.sealer, config: {} as never };
    return await recordPurchase(events, report, toEarningRule(rule), 'UTC');
  }

  async function backTested(fields: RuleFields, mode = fields.mode) {
    const progress: JobProgress[] = [];
    const owner = { partnerId, requestedBy: 'usr_1' };
    const draft = toEarningRule(await operate(deps, createRule, { partnerId, ...fields }));
    const { _id: jobId } = await queueBackTest(deps, owner, { ...draft, mode });
    await runJob(deps, { partnerId, jobId }, (one) => progress.push(one));
    const job = (await findJob(models, partnerId, jobId)) as BackTestJob;
    return { job, progress };
  }

  return { models, deps, partnerId, active, buy, backTested };
}

test('90 days of purchases under a draft earn what was computed by hand', async (t) => {
  const { models, partnerId, active, buy, backTested } = await aShop();
  const first = await buy(active, 89, 'anna', 5_000);
  await buy(active, 89, 'anna', 5_000);
  await buy(active, 89, 'ben', 999);
  await buy(active, 2, 'anna', 10_000);
  // Not counted: too old, or in TEST.
  await buy(active, 91, 'anna', 5_000);
  await buy({ ...active, mode: 'TEST' }, 2, 'anna', 5_000);
  const { job, progress } = await backTested({
    ...activeFields,
    points: 2,
    pointValueMicros: 15_000,
    capPerCustomerDayPoints: 150,
  });
  // Active: 50 + 30 + 9 + 80 points at a cent each. Draft: 100 + 50 + 19 + 150 at 1.5 cents each, rounded up.
  t.like(job, { status: 'DONE', isOpen: undefined });
  t.like(job.result, {
    purchases: 4,
    active: { points: 169, cents: 169 },
    draft: { points: 319, cents: 150 + 75 + 29 + 225 },
    differing: 4,
  });
  t.deepEqual(
    job.result?.mostDiffering.map((one) => [
      one.externalOrderId,
      one.active.points,
      one.draft.points,
    ]),
    [
      ['order-4', 80, 150],
      ['order-1', 50, 100],
      ['order-2', 30, 50],
      ['order-3', 9, 19],
    ],
  );
  t.is(job.result?.mostDiffering[1]?.eventId, first._id);
  t.deepEqual(progress.at(-1), { done: 88, total: 90, of: 'DAYS' });
  t.is(await models.ruleActivations.countDocuments({ partnerId }), 1, 'the draft is not activated');
  t.is(await models.jobs.countDocuments({ partnerId }), 1);
});

test('purchases replayed under the active rule earn what they earned', async (t) => {
  const { active, buy, backTested } = await aShop();
  let points = 0;
  let cents = 0;
  for (let n = 0; n < 60; n++) {
    const bought = await buy(active, 10 - Math.floor(n / 6), n % 3 === 0 ? 'anna' : 'ben', n * 97);
    points += bought.purchase?.arithmetic.points ?? 0;
    cents += bought.purchase?.liabilityCents ?? 0;
  }
  const { job } = await backTested(activeFields);
  t.like(job.result, {
    purchases: 60,
    active: { points, cents },
    draft: { points, cents },
    differing: 0,
  });
});

test('a TEST draft is replayed over LIVE purchases, alongside the LIVE rule', async (t) => {
  const { active, buy, backTested } = await aShop();
  await buy(active, 3, 'anna', 5_000);
  const { job } = await backTested({ ...activeFields, mode: 'TEST', points: 2 }, 'LIVE');
  t.like(job, { mode: 'LIVE', input: { rule: { points: 2 } } });
  t.like(job.result, { purchases: 1, active: { points: 50 }, draft: { points: 80 } });
});

test('a partner has one back-test at a time', async (t) => {
  const { deps, models, partnerId, active } = await aShop();
  const owner = { partnerId, requestedBy: 'usr_1' };
  const rule = toEarningRule(active);
  await queueBackTest(deps, owner, rule);
  await t.throwsAsync(queueBackTest(deps, owner, rule), { code: 'CONFLICT' });
  t.is(await models.jobs.countDocuments({ partnerId }), 1);
});

test('an abandoned job is detected', async (t) => {
  const { deps, partnerId, active } = await aShop();
  const owner = { partnerId, requestedBy: 'usr_1' };
  const job = await queueBackTest(deps, owner, toEarningRule(active));
  const take = (later: number, of: JobDoc = job) => takeStalled(deps.models, of, nowMs + later);
  t.false(await take(1_000));
  const looks = await Promise.all([take(60_000), take(60_000), take(60_000), take(75_000)]);
  t.is(looks.filter(Boolean).length, 1, 'once, however often it is looked at');
  t.true(await take(120_000), 'and again if that did not help');
  const { isOpen: _, ...over } = job;
  t.false(await take(180_000, over));
});

const receivedMs = Date.parse('2026-03-01T00:00:00Z');
const hourMs = 3_600_000;

/** Yields a file in chunks, as an upload arrives. */
async function* file(text: string) {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
}

test.before(async () => {
  database = await openDatabase();
});

test.after.always(async () => {
  await database?.close();
});

async function aShopOfCompareOrders() {
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
  const { models, partnerId, integrationId, reported, insert, compared } =
    await aShopOfCompareOrders();
  const good = reported('good', 4_990);
  const cheap = reported('cheap', 4_500);
  const returned = reported('returned', 1_000);
  const unlisted = reported('unlisted', 1);
  const refund = {
    ...reported('returned', 1_000),
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
  const { reported, insert, compared } = await aShopOfCompareOrders();
  const returned = reported('returned', 1_000);
  const kept = reported('kept', 1_000);
  const refund = {
    ...reported('returned', 1_000),
    type: 'REFUND' as const,
    externalRefundId: 'refund',
    amountCents: 1_000,
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
  const { reported, insert, compared } = await aShopOfCompareOrders();
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
  const { models, deps, partnerId, owner, scope } = await aShopOfCompareOrders();
  const faulty: [text: string, message: RegExp][] = [
    [`externalOrderId,subtotal\n${'A1,1\n'.repeat(1_200)}A2,much\n`, /^Row 1202: subtotal must be/],
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
  const { models, deps, partnerId, owner, scope } = await aShopOfCompareOrders();
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
  const { models, deps, partnerId, owner, scope } = await aShopOfCompareOrders();
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
  const { models, deps, partnerId, owner, scope } = await aShopOfCompareOrders();
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
  const { models, deps, partnerId, owner, scope } = await aShopOfCompareOrders();
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
  const { models, deps, partnerId, owner, scope } = await aShopOfCompareOrders();
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

async function* inChunks(bytes: Buffer, size: number) {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function parsed(
  file: string | Buffer,
  chunkBytes = 7,
  names?: OrderColumnNames,
): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  const bytes = inChunks(Buffer.from(file), chunkBytes);
  for await (const row of parseOrderFile(bytes, names)) rows.push(row);
  return rows;
}

const readable: [title: string, file: string | Buffer, rows: Partial<OrderRow>[]][] = [
  [
    'commas',
    'externalOrderId,subtotal\nA1,49.90\nA2,1\n',
    [
      { row: 2, externalOrderId: 'A1', subtotalCents: 4_990 },
      { row: 3, externalOrderId: 'A2' },
    ],
  ],
  [
    'semicolons, Windows line ends and a comma for the point',
    'externalOrderId;subtotal;customer\r\n"A;1";49,90;Müller\r\n',
    [{ externalOrderId: 'A;1', subtotalCents: 4_990 }],
  ],
  [
    'Shopify’s own export, with rows of items, and orders that nobody paid',
    [
      'Name,Email,Financial Status,Paid at,Currency,Subtotal,Shipping,Taxes,Total,Created at,Lineitem quantity,Lineitem name,Id,Refunded Amount',
      '#1001,jo@example.com,paid,2026-03-24 10:05:00 -0400,USD,49.90,5.00,0.00,54.90,2026-03-24 10:05:00 -0400,1,Teapot,5890000005001,0.00',
      '#1001,jo@example.com,,,,,,,,,1,Cup,,',
      '#1002,jo@example.com,refunded,2026-03-24 10:06:00 -0400,USD,20.00,0.00,0.00,20.00,2026-03-24 10:06:00 -0400,1,Cup,5890000005002,20.00',
      '#1003,jo@example.com,pending,,USD,20.00,0.00,0.00,20.00,2026-03-24 10:07:00 -0400,1,Cup,5890000005003,0.00',
      '#1003,jo@example.com,,,,,,,,,1,Teapot,,',
      '#1004,jo@example.com,partially_refunded,,USD,30.00,0.00,0.00,30.00,2026-03-24 10:08:00 -0400,1,Cup,5890000005004,5.00',
    ].join('\n'),
    [
      {
        externalOrderId: '5890000005001',
        subtotalCents: 4_990,
        currency: 'USD',
        refunded: false,
        refundedCents: null,
      },
      { row: 4, externalOrderId: '5890000005002', subtotalCents: 2_000, refunded: true },
      { row: 7, externalOrderId: '5890000005004', subtotalCents: 3_000, refunded: null },
    ],
  ],
  [
    'WooCommerce’s own export of its analytics',
    [
      'Date,"Order #","N. Revenue (formatted)",Status,Customer,"Customer type",Product(s),"Items sold",Coupon(s),"Net Sales",Attribution',
      '"2026-03-24 14:05:00",731,$54.90,processing,"Jo Doe",new,"1× Teapot",1,,49.90,Direct',
      '"2026-03-24 14:06:00",732,$54.90,refunded,"Jo Doe",returning,"1× Teapot",1,,49.9,Direct',
      '"2026-03-24 14:07:00",733,$9.00,on-hold,"Jo Doe",returning,"1× Cup",1,,9,Direct',
    ].join('\n'),
    [
      { externalOrderId: '731', subtotalCents: 4_990, refunded: false },
      { externalOrderId: '732', subtotalCents: 4_990, refunded: true },
    ],
  ],
  [
    'Stripe’s own export of payments',
    [
      'id,Created date (UTC),Amount,Amount Refunded,Currency,Captured,Converted Amount,Status,PaymentIntent ID',
      'ch_1,2026-03-24 14:05:02,49.90,0.00,usd,true,49.90,Paid,pi_1',
      'ch_2,2026-03-24 14:06:02,49.90,49.90,usd,true,49.90,Refunded,pi_2',
      'ch_3,2026-03-24 14:07:02,49.90,0.00,usd,false,49.90,Failed,pi_3',
    ].join('\n'),
    [
      { externalOrderId: 'pi_1', subtotalCents: 4_990, currency: 'USD', refunded: false },
      { externalOrderId: 'pi_2', refunded: true },
    ],
  ],
  ['tabs', 'externalOrderId\tsubtotalCents\nA1\t4990', [{ subtotalCents: 4_990 }]],
  [
    'a byte order mark',
    '\ufeffexternalOrderId,subtotal\nbücher-1,1\n',
    [{ externalOrderId: 'bücher-1' }],
  ],
  [
    'empty rows and rows of separators, as left by spreadsheets',
    'externalOrderId,subtotal\n\nA1,1\n,\n\nA2,2\n,\n',
    [
      { row: 3, externalOrderId: 'A1' },
      { row: 6, externalOrderId: 'A2' },
    ],
  ],
  [
    'line breaks, quotes and commas within quotes',
    'externalOrderId,subtotal,note\n"A,1",1,"two\nlines, ""quoted"""\nA2,2,\n',
    [
      { row: 2, externalOrderId: 'A,1' },
      { row: 3, externalOrderId: 'A2' },
    ],
  ],
  [
    'empty cells missing at the end',
    'externalOrderId,subtotal,currency\nA1,1\nA2,1,USD\n',
    [
      { externalOrderId: 'A1', currency: null },
      { externalOrderId: 'A2', currency: 'USD' },
    ],
  ],
  ['surplus empty cells', 'externalOrderId,subtotal\nA1,1,,\n', [{ externalOrderId: 'A1' }]],
  [
    'thousands as the other amounts of a German list show',
    'externalOrderId;subtotal\nA1;49.905\nA2;1.234,50\nA3;12,5\n',
    [
      { row: 2, externalOrderId: 'A1', subtotalCents: 4_990_500 },
      { row: 3, externalOrderId: 'A2', subtotalCents: 123_450 },
      { row: 4, externalOrderId: 'A3', subtotalCents: 1_250 },
    ],
  ],
  [
    'thousands as the other amounts of an English list show',
    'externalOrderId,subtotal,refundedAmount\nA1,12.50,\nA2,"49,905",\nA3,1,0.5\n',
    [
      { externalOrderId: 'A1', subtotalCents: 1_250 },
      { externalOrderId: 'A2', subtotalCents: 4_990_500 },
      { externalOrderId: 'A3', subtotalCents: 100, refundedCents: 50 },
    ],
  ],
  [
    'dinars, which have three decimals',
    'externalOrderId,subtotal,currency\nA1,4.990,KWD\n',
    [{ externalOrderId: 'A1', subtotalCents: 4_990 }],
  ],
  [
    'mixed line ends',
    'externalOrderId,subtotal\nA1,1\r\nA2,2\rA3,3\r\n',
    [
      { row: 2, externalOrderId: 'A1', subtotalCents: 100 },
      { row: 3, externalOrderId: 'A2', subtotalCents: 200 },
      { row: 4, externalOrderId: 'A3', subtotalCents: 300 },
    ],
  ],
  [
    'a line that names the separator',
    '\ufeffsep=;\r\nexternalOrderId;subtotal;note, with commas,,,,\r\nA1;1,50;x\r\n',
    [{ row: 2, externalOrderId: 'A1', subtotalCents: 150 }],
  ],
  [
    'a line that names another separator',
    'sep=|\nexternalOrderId|subtotal\nA1|49.9000',
    [{ row: 2, externalOrderId: 'A1', subtotalCents: 4_990 }],
  ],
  [
    'unknown statuses, which are kept apart',
    'externalOrderId,subtotal,refunded\nA1,1,Wird geprüft\nA2,1,paid\n',
    [
      { externalOrderId: 'A1', refunded: null, unknownStatus: 'Wird geprüft' },
      { externalOrderId: 'A2', refunded: false },
    ],
  ],
  [
    'ids with blanks, as the API keeps them',
    'externalOrderId,subtotal\n" A1 ",1\n',
    [{ externalOrderId: ' A1 ' }],
  ],
  [
    'formulas, read as plain order ids',
    'externalOrderId,subtotal\n=cmd|calc,1\n@A1,2\n',
    [{ externalOrderId: '=cmd|calc' }, { externalOrderId: '@A1' }],
  ],
];

for (const [title, file, rows] of readable) {
  test(`a file with ${title} is read`, async (t) => {
    const found = await parsed(file);
    t.is(found.length, rows.length);
    for (const [index, row] of rows.entries()) t.like(found[index], row);
  });
}

test('a shop’s export is read under its own column names, with a row for each item', async (t) => {
  const file = [
    'Name,Email,Financial Status,Currency,Subtotal,Total,Created at,Lineitem name',
    '#1001,ann@shop.example,paid,EUR,42.00,49.90,2026-01-31 09:30:00 +0100,Mug',
    '#1001,ann@shop.example,,,,,,Filter',
    '#1002,bob@shop.example,refunded,EUR,7.00,8.50,2026-01-31 10:12:45 +0100,Mug',
    '',
  ].join('\n');
  const rows = await parsed(file, 7, {
    externalOrderId: 'Name',
    subtotal: 'Total',
    occurredAt: 'created at',
    refunded: 'Financial Status',
  });
  const [first, second] = rows;
  t.is(rows.length, 2);
  t.like(first, {
    row: 2,
    externalOrderId: '#1001',
    subtotalCents: 4_990,
    currency: 'EUR',
    occurredAt: '2026-01-31T08:30:00.000Z',
    refunded: false,
  });
  t.like(second, { row: 4, externalOrderId: '#1002', refunded: true });
});

const head = 'externalOrderId,subtotal\n';
const refused: [title: string, file: string | Buffer, message: RegExp][] = [
  ['that is empty', '', /^Row 1: the file is empty\.$/],
  [
    'without the columns',
    'order;price\nA1;1\n',
    /^Row 1: there is no column externalOrderId; there must be a column .*\. The columns are "order, price"\.$/,
  ],
  [
    'in UTF-16',
    Buffer.from(`\ufeff${head}`, 'utf16le'),
    /^Row 1: the text is not UTF-8\. Save .* "CSV UTF-8"/,
  ],
  ['in UTF-16 without a mark', Buffer.from(head, 'utf16le'), /^Row 1: the text is not UTF-8/],
  ['in Latin 1', Buffer.from(`${head}A1,1\nbücher,2\n`, 'latin1'), /^Row 3: the text is not UTF-8/],
  [
    'in two encodings',
    Buffer.concat([Buffer.from(`${head}ü,1\n`), Buffer.from('ü,1\n', 'latin1')]),
    /^Row 3: the text is not UTF-8/,
  ],
  [
    'whose quote never closes',
    `${head}A1,1\n"A2,2\nA3,3\n`,
    /^Row 3: a quotation mark is never closed\.$/,
  ],
  [
    'with text behind a quote',
    `${head}A1,1\n"A2"x,2\n`,
    /^Row 3: there is text after a closing quotation mark/,
  ],
  [
    'with a quote within a text',
    `${head}A1,1\nA"2,2\n`,
    /^Row 3: there is a quotation mark in text/,
  ],
  [
    'with a cell too many',
    `${head}A1,1\n\nA2,2,3\n`,
    /^Row 4: it has more cells than the header, 2\.$/,
  ],
  [
    'with several wrong rows',
    `${head}A1,much\nA2,1\n,2\nA3,1,x\n`,
    /^Row 2: subtotal must be [^.]*\.90[^.]*\. Row 4: externalOrderId [^.]*\. Row 5: it has more cells than the header, 2\.$/,
  ],
  [
    'with several mistakes in a row',
    `${head},much\n`,
    /^Row 2: externalOrderId [^;]*; subtotal [^;]*\.$/,
  ],
  [
    'whose rows are all wrong',
    head + 'A1,much\n'.repeat(1_000),
    /^Row 2: .* Row 21: .*\. Further rows were not read\.$/,
  ],
  [
    'whose columns are all wrong',
    'Order,Total,total\nA1,1,1\n',
    /^Row 1: there is no column externalOrderId; there must be a column subtotal/,
  ],
  [
    'with a row without end',
    `${head}A1,1\n${'x'.repeat(100_000)},2\n`,
    /^Row 3: it is longer than 64 KiB\.$/,
  ],
  ['with a header without end', 'x'.repeat(100_000), /^Row 1: it is longer than 64 KiB\.$/],
  ['with an amount that is none', `${head}A1,1\nA2,many\n`, /^Row 3: subtotal must be an amount/],
  [
    'with amounts that nothing decides',
    'externalOrderId;subtotal\nA1;49,905\nA2;5\nA3;49.905\n',
    /^Row 2: subtotal must be an amount in USD such as 49\.90, up to 1,000,000, .* not "49,905": it can be read two ways\. Row 4: .*two ways\.$/,
  ],
  [
    'whose amounts are written in two ways',
    'externalOrderId;subtotal\nA1;49,905\nA2;1,5\nA3;1.5\n',
    /^Row 2: subtotal .*two ways\.$/,
  ],
  [
    'with a computed amount in a German list',
    'externalOrderId;subtotal\nA1;1,5\nA2;49,905\n',
    /^Row 3: subtotal .*two ways\.$/,
  ],
  [
    'with an amount above the limit',
    'externalOrderId,subtotal,currency\nA1,1000000.01,IDR\n',
    /^Row 2: subtotal must be an amount in IDR such as 49\.90, up to 1,000,000/,
  ],
  [
    'with cents above the limit',
    'externalOrderId,subtotalCents\nA1,100000001\n',
    /^Row 2: subtotalCents must be whole cents, such as 4990, up to 100,000,000/,
  ],
  ['with a shortened id', `${head}8.20983E+17,1\n`, /^Row 2: .*a spreadsheet has shortened it\.$/],
  ['with an id as a formula', `${head}"=""00123""",1\n`, /^Row 2: .*it is a formula/],
  ['with a sum at its end', `${head}A1,1\nTotal,1\n`, /^Row 3: .*it is a sum, and no order\.$/],
  ['with an id that is a step in a path', `${head}..,1\n`, /^Row 2: externalOrderId must be/],
];

for (const [title, file, message] of refused) {
  test(`a file ${title} is refused, with the row`, async (t) => {
    for (const chunkBytes of [file.length < 1_000 ? 7 : 1_000, 1_000_000]) {
      const expected = { code: 'VALIDATION_FAILED', message };
      await t.throwsAsync(parsed(file, chunkBytes), expected);
    }
  });
}

test('an oversized file is refused at its first excess byte', async (t) => {
  let sent = 0;
  async function* endless() {
    yield Buffer.from(head);
    for (;;) {
      sent += 1;
      yield Buffer.from(`${'A'.repeat(160)},1\n`.repeat(1_000));
    }
  }
  const bytes = async () => {
    for await (const _ of parseOrderFile(endless()));
  };
  await t.throwsAsync(bytes(), { code: 'PAYLOAD_TOO_LARGE', message: /larger than 20 MiB/ });
  t.true(sent <= 140, `${sent} chunks of 164 KB were read`);
});

test('a file with more orders than the limit is refused', async (t) => {
  const tooMany = Buffer.from(`${head}${'A1,1\n'.repeat(maxFileRows + 1)}`);
  let orders = 0;
  const read = async () => {
    for await (const _ of parseOrderFile(inChunks(tooMany, 65_536))) orders += 1;
  };
  await t.throwsAsync(read(), {
    code: 'PAYLOAD_TOO_LARGE',
    message: /more than 200000 orders/,
  });
  t.is(orders, maxFileRows);
});

test('an upload that breaks off aborts the parsing', async (t) => {
  async function* broken() {
    yield Buffer.from(`${head}A1,1\n`);
    throw new Error('the connection is gone');
  }
  const bytes = async () => {
    for await (const _ of parseOrderFile(broken()));
  };
  await t.throwsAsync(bytes(), { message: 'the connection is gone' });
});

test('orders and refunds are read from JSON lines, flat or as they are reported', async (t) => {
  const lines = [
    '\ufeff{"externalOrderId":"A1","subtotalCents":4990,"currency":"usd","refunded":false,"note":{}}',
    '',
    '{"externalOrderId":"A2","customer":{"email":"a@b.co"},"order":{"subtotalCents":100,"currency":"EUR"},"occurredAt":"2026-03-01T12:00:00Z"}\r',
    '{"externalOrderId":"A2","externalRefundId":"R1","amountCents":40,"occurredAt":null}',
    '{"externalOrderId":"A3","externalRefundId":"R2"}',
    '{"externalOrderId":"A4","subtotal":"49,90","refunded":"shipped"}',
  ];
  const rows: FileRow[] = [];
  for await (const row of parseOrderLines(Buffer.from(lines.join('\n')), 'USD')) rows.push(row);
  const order = { occurredAt: null, currency: null, refunded: null, refundedCents: null };
  t.deepEqual(rows, [
    {
      ...order,
      row: 1,
      externalOrderId: 'A1',
      subtotalCents: 4_990,
      currency: 'USD',
      refunded: false,
    },
    {
      ...order,
      row: 3,
      externalOrderId: 'A2',
      subtotalCents: 100,
      currency: 'EUR',
      occurredAt: '2026-03-01T12:00:00.000Z',
    },
    { row: 4, externalOrderId: 'A2', externalRefundId: 'R1', amountCents: 40, occurredAt: null },
    { row: 5, externalOrderId: 'A3', externalRefundId: 'R2', amountCents: null, occurredAt: null },
    { ...order, row: 6, externalOrderId: 'A4', subtotalCents: 4_990, unknownStatus: 'shipped' },
  ]);
});

test('every wrong line of JSON is named', async (t) => {
  const lines = [
    '{"externalOrderId":"A1","subtotalCents":1}',
    '[]',
    'null',
    '{"externalOrderId":{},"subtotalCents":1}',
    '{"externalOrderId":"A1","subtotalCents":1.5}',
    '{"externalOrderId":"A1","amountCents":1}',
    '{"externalOrderId":"A1","externalRefundId":"R","amountCents":-1}',
    '{"__proto__":{"externalOrderId":"A1"},"subtotalCents":1}',
    '{"externalOrderId":820982911946154508,"subtotalCents":1}',
    '{"externalOrderId":"A1","subtotalCents":1,"subtotalCents":2}',
  ];
  const read = async () => {
    for await (const _ of parseOrderLines(Buffer.from(lines.join('\n')), 'USD'));
  };
  const places = [2, 3, 4, 5, 6, 7, 8, 9, 10].map((row) => `Row ${row}: .*`).join('');
  await t.throwsAsync(read(), { code: 'VALIDATION_FAILED', message: new RegExp(`^${places}$`) });
  const latin = async () => {
    for await (const _ of parseOrderLines(Buffer.from('{"externalOrderId":"ü"}', 'latin1'), 'USD'));
  };
  await t.throwsAsync(latin(), { message: /not UTF-8/ });
});

test('refunds in a file are compared by their own ids', async (t) => {
  const { reported, insert, compared } = await aShopOfCompareOrders();
  const bought = reported('A1', 1_000);
  const refund = (externalRefundId: string, amountCents?: number) => ({
    ...reported('A1', 1_000),
    type: 'REFUND' as const,
    externalRefundId,
    purchase: null,
    purchaseEventId: bought._id,
    idempotencyKeyHash: newId('event'),
    ...(amountCents !== undefined && { amountCents }),
  });
  const [same, other, unlisted] = [refund('R1'), refund('R2', 300), refund('R9')];
  await insert([bought, same, other, unlisted]);
  const { job, faults } = await compared(
    [
      'externalOrderId,subtotal,externalRefundId',
      'A1,10,',
      'A1,,R1',
      'A1,4,R2',
      'A1,5,R3',
      'A0,,R4',
      'A1,,R1',
      'A2,,R2',
    ].join('\n'),
    { range: { fromDay: '2026-03-01', toDay: '2026-03-01' } },
  );
  t.is(job.result?.matched, 2);
  t.deepEqual(
    faults.map(({ fault, externalRefundId, row, what, report, body }) => [
      fault,
      externalRefundId,
      row,
      what,
      report && `${report} ${body}`,
    ]),
    [
      ['MISMATCHED', 'R2', '4', 'amount: 4.00 in the file, 3.00 reported', ''],
      [
        'MISSING',
        'R3',
        '5',
        'the refund was never reported',
        'REFUND {"externalOrderId":"A1","externalRefundId":"R3","amountCents":500}',
      ],
      [
        'MISSING',
        'R4',
        '6',
        'the refund was never reported, nor was its order: report that first',
        'REFUND {"externalOrderId":"A0","externalRefundId":"R4"}',
      ],
      ['DUPLICATE', 'R1', '7', 'the refund is already in row 3', ''],
      ['DUPLICATE', 'R2', '8', 'the refund is already in row 4', ''],
      ['NOT_IN_FILE', 'R9', '', 'was reported on 2026-03-01T00:00:00.000Z', ''],
    ],
  );
});

test('what is missing says what to send, and unknown statuses are counted apart', async (t) => {
  const { reported, insert, compared } = await aShopOfCompareOrders();
  await insert([reported('A1', 1_000), reported('A2', 1_000)]);
  const { job, faults } = await compared(
    [
      'externalOrderId,subtotal,currency,occurredAt,refunded',
      'A1,10,USD,2026-03-01T00:00:00Z,refunded',
      'A2,10,USD,2026-03-01T00:00:00Z,wird geprüft',
      'A3,5,EUR,2026-03-01T09:00:00Z,wird geprüft',
    ].join('\n'),
  );
  t.deepEqual(
    faults.map(({ externalOrderId, report, body, add }) => [externalOrderId, report, body, add]),
    [
      ['A1', 'REFUND', '{"externalOrderId":"A1"}', ''],
      [
        'A3',
        'PURCHASE',
        '{"externalOrderId":"A3","order":{"subtotalCents":500,"currency":"EUR"},"occurredAt":"2026-03-01T09:00:00.000Z"}',
        'customer',
      ],
    ],
  );
  t.is(job.result?.matched, 1);
  t.like(job.input, { unknownRows: 2, unknownStatuses: [{ status: 'wird geprüft', rows: 2 }] });
});

test('for the time of a whole list, what was reported and is not in it is named', async (t) => {
  const { reported, insert, compared } = await aShopOfCompareOrders();
  const at = (hour: number) => new Date(receivedMs + hour * hourMs);
  await insert([
    reported('first', 1, { occurredAt: at(0), receivedAt: at(1) }),
    reported('last', 1, { occurredAt: at(5), receivedAt: at(5) }),
    reported('unlisted', 1, { occurredAt: at(3), receivedAt: at(30) }),
    reported('by its receipt', 1, { occurredAt: null, receivedAt: at(4) }),
    reported('before', 1, { occurredAt: at(-1), receivedAt: at(3) }),
    reported('after', 1, { occurredAt: at(6), receivedAt: at(6) }),
  ]);
  const rows = (last: string) =>
    `externalOrderId,subtotalCents,occurredAt\nlast,1,${last}\nfirst,1,2026-03-01T00:00:00Z\n`;
  const whole = await compared(rows('2026-03-01T05:00:00Z'), { range: 'OF_FILE' });
  t.deepEqual(
    whole.faults.map(({ fault, externalOrderId }) => [fault, externalOrderId]),
    [
      ['NOT_IN_FILE', 'by its receipt'],
      ['NOT_IN_FILE', 'unlisted'],
    ],
  );
  const untimed = await compared(rows(''), { range: 'OF_FILE' });
  t.deepEqual([untimed.faults, untimed.job.input.between], [[], null]);
  const endless = await compared(rows('2028-03-01T00:00:00Z'), { range: 'OF_FILE' });
  t.is(endless.job.input.between, null, 'more than a year is not looked through');
});
