import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { type Mode, modes } from '../../domain/mode.ts';
import { type RequestType, requestTypes } from '../../domain/purchase.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { LoggedRequest } from '../../models/schemas/requests.ts';
import { newId } from '../../platform/ids.ts';
import {
  anyRefusal,
  findRequests,
  type LogFilter,
  type LogPlace,
  readLog,
} from '../../views/log.ts';
import { scopeOf } from '../../views/partner-scope.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { aLoggedRequest } from '../helpers/signed-requests.ts';

let database: Database;
let models: Models;
test.before(async () => {
  database = await openDatabase();
  models = database.models;
});
// Some tests read the log of all partners, and must find only what they inserted.
test.beforeEach(async () => {
  await models.requestLog.deleteMany({});
  await models.orderEvents.deleteMany({});
});
test.after.always(() => database?.close());

async function insert(events: LoggedRequest[]): Promise<void> {
  await models.requestLog.collection.insertMany(events);
}

/** Profiles the queries of some work. */
async function profiled(work: () => Promise<void>) {
  const { db } = models.connection;
  const profile = db?.collection('system.profile');
  // By default it keeps the newest megabyte.
  await db?.createCollection('system.profile', { capped: true, size: 64 * 1024 ** 2 });
  await db?.command({ profile: 2 });
  await work();
  await db?.command({ profile: 0 });
  const reads = (await profile?.find({ op: 'query' }).toArray()) ?? [];
  await profile?.drop();
  return reads;
}

const startMs = Date.parse('2026-03-01T00:00:00Z');
const hourMs = 3_600_000;

/** The nth request of a partner, an hour after the previous one. Kinds, modes and codes alternate. */
function nthRequest(partnerId: string, n: number): LoggedRequest {
  const receivedAt = new Date(startMs + n * hourMs);
  const code = n % 13 === 0 ? 'VALIDATION_FAILED' : n % 5 === 0 ? 'REPLAYED' : 'ACCEPTED';
  return aLoggedRequest({
    _id: newId('loggedRequest', receivedAt.getTime()),
    requestId: newId('request'),
    receivedAt,
    partnerId,
    mode: n % 3 === 0 ? 'LIVE' : 'TEST',
    type: n % 7 === 0 ? 'READ' : n % 2 === 0 ? 'REFUND' : 'PURCHASE',
    code,
    externalOrderId: n % 7 === 0 ? null : `order-${n % 10}`,
  });
}

const matches = (asked: string | undefined, code: string): boolean =>
  asked === anyRefusal ? !['ACCEPTED', 'REPLAYED'].includes(code) : (asked ?? code) === code;

const ids = (events: { _id: string }[]) => events.map(({ _id }) => _id);

/** Reads the whole log page by page, to the oldest event and back. */
async function thereAndBack(t: ExecutionContext, filter: LogFilter, limit: number) {
  const pages: string[][] = [];
  let place: LogPlace | undefined;
  for (;;) {
    const page = await readLog({ models }, filter, limit, place);
    pages.push(ids(page.events));
    t.is(page.newer === null, pages.length === 1);
    if (page.older === null) break;
    place = { olderThan: page.older };
  }
  for (let at = pages.length - 1; at > 0; at--) {
    const [first] = pages[at] ?? [];
    const page = await readLog({ models }, filter, limit, { newerThan: first ?? '' });
    t.deepEqual(ids(page.events), pages[at - 1]);
    t.is(page.newer === null, at === 1);
    t.not(page.older, null);
  }
  return pages.flat();
}

test.serial(
  'every filter, alone or combined, finds exactly its matches, newest first, paging in both directions',
  async (t) => {
    const mine = Array.from({ length: 120 }, (_, n) => nthRequest('prt_filtered', n));
    const others = Array.from({ length: 40 }, (_, n) => nthRequest('prt_other', n));
    await insert([...mine, ...others]);
    const maybe = <T>(...values: T[]) => fc.constantFrom(undefined, ...values);
    const filters = fc.record({
      mode: maybe<Mode>('TEST', 'LIVE'),
      type: maybe<RequestType>('PURCHASE', 'REFUND', 'READ'),
      code: maybe('ACCEPTED', 'REPLAYED', 'VALIDATION_FAILED', 'RATE_LIMITED', anyRefusal),
      externalOrderId: maybe('order-1', 'order-4', 'no such order'),
      fromDay: maybe('2026-02-01', '2026-03-02', '2026-03-04'),
      toDay: maybe('2026-03-03', '2026-03-05', '2026-04-01'),
    });
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 30 }), async (filter, limit) => {
        const { mode, type, code, externalOrderId, fromDay = '', toDay = '9' } = filter;
        const expected = mine
          .filter((event) => (mode ?? event.mode) === event.mode)
          .filter((event) => (type ?? event.type) === event.type)
          .filter((event) => matches(code, event.code))
          .filter((event) => (externalOrderId ?? event.externalOrderId) === event.externalOrderId)
          .filter(({ receivedAt }) => receivedAt.toISOString().slice(0, 10) >= fromDay)
          .filter(({ receivedAt }) => receivedAt.toISOString().slice(0, 10) <= toDay);
        const found = await thereAndBack(
          t,
          { partnerId: scopeOf({ _id: 'prt_filtered' }), ...filter },
          limit,
        );
        t.deepEqual(found, ids(expected).reverse());
      }),
      { numRuns: 60 },
    );
  },
);

test.serial('a page costs the same with few events and with many, for any filter', async (t) => {
  const limit = 10;
  // The matching events are rare, and older than thousands of others.
  const rare = Array.from({ length: 3 }, (_, n) =>
    aLoggedRequest({
      _id: newId('loggedRequest', startMs + n),
      requestId: newId('request'),
      partnerId: 'prt_many',
      mode: 'LIVE',
      type: 'REFUND',
      code: 'TOO_MANY_REFUNDS',
      externalOrderId: 'rare',
    }),
  );
  const common = Array.from({ length: 3_000 }, (_, n) =>
    aLoggedRequest({
      _id: newId('loggedRequest', startMs + hourMs + n),
      requestId: newId('request'),
      partnerId: n % 2 === 0 ? 'prt_many' : 'prt_more',
    }),
  );
  await insert([...rare, ...common]);
  const [newest] = rare.toReversed();
  const asked: Omit<LogFilter, 'partnerId'>[] = [
    {},
    { mode: 'LIVE' },
    { type: 'REFUND' },
    { mode: 'LIVE', type: 'REFUND' },
    { code: 'TOO_MANY_REFUNDS' },
    { code: 'TOO_MANY_REFUNDS', mode: 'LIVE' },
    { code: 'TOO_MANY_REFUNDS', type: 'REFUND' },
    { code: 'TOO_MANY_REFUNDS', mode: 'TEST' },
    { code: 'TOO_MANY_REFUNDS', mode: 'LIVE', type: 'REFUND' },
    { code: anyRefusal, mode: 'LIVE' },
    { externalOrderId: 'rare' },
    { externalOrderId: 'rare', mode: 'LIVE', type: 'REFUND', code: 'TOO_MANY_REFUNDS' },
    { fromDay: '2026-03-01', toDay: '2026-03-01', mode: 'LIVE' },
    { fromDay: '2025-01-01', toDay: '2025-12-31' },
  ];
  const reads = await profiled(async () => {
    for (const partnerId of [scopeOf({ _id: 'prt_many' }), null]) {
      for (const filter of asked) {
        await readLog({ models }, { partnerId, ...filter }, limit);
        await readLog({ models }, { partnerId, ...filter }, limit, {
          olderThan: newest?._id ?? '',
        });
        await findRequests(models, { partnerId, ...filter }, limit, {
          newerThan: newest?._id ?? '',
        });
      }
    }
  });
  t.true(reads.length >= asked.length * 6);
  for (const read of reads) {
    const what = `${read.planSummary} ${JSON.stringify(read.command.filter)}`;
    t.true(read.docsExamined <= limit + 1, `${read.docsExamined} documents examined: ${what}`);
    // A range of each mode and type is merged for each code, and each costs up to two more keys.
    const codes = read.command.filter.code?.$in?.length ?? 1;
    const most = limit + 1 + 2 * modes.length * requestTypes.length * codes;
    t.true(read.keysExamined <= most, `${read.keysExamined} keys examined: ${what}`);
    t.falsy(read.hasSortStage, what);
  }
});

test.serial('an invalid day is refused', async (t) => {
  const asked = { partnerId: null, fromDay: '2026-02-30' };
  await t.throwsAsync(readLog({ models }, asked, 1), { instanceOf: RangeError });
});

test.serial('an invalid cursor is refused', async (t) => {
  for (const id of ['', 'iev_', 'iev_zzz', newId('event'), `iev_${'Z'.repeat(26)}`]) {
    for (const place of [{ olderThan: id }, { newerThan: id }]) {
      const refused = { code: 'VALIDATION_FAILED' };
      await t.throwsAsync(readLog({ models }, { partnerId: null }, 1, place), refused, id);
    }
  }
});
