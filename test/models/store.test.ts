import { randomUUID } from 'node:crypto';
import test from 'ava';
import { type Connection, type Model, Schema } from 'mongoose';
import { addWithinLimit } from '../../models/store/add-within-limit.ts';
import { insertNext, type Series } from '../../models/store/insert-next.ts';
import { insertMissing, isOnlyDuplicates, refusedWrites } from '../../models/store/insert-once.ts';
import { connectMongo } from '../../platform/mongo.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type TestDatabase, takeDatabase, testUri } from '../helpers/test-database.ts';

interface Numbered {
  _id: string;
  series: string;
  seq: number;
}

let connection: Connection;
let model: Model<Numbered>;

/** A series that gets `_id` as its next document. */
function aSeries(series: string, _id: string): Series<Numbered | null, Numbered, Numbered> {
  return {
    newest: () => model.findOne({ series }).sort({ seq: -1 }),
    next: (newest) => ({ _id, series, seq: (newest?.seq ?? 0) + 1 }),
    insert: (next) => model.create(next),
    maxRaces: 20,
    allLost: () => new Error('all lost'),
  };
}

const idsOf = async (series: string) =>
  (await model.find({ series }).sort({ seq: 1 })).map(({ _id, seq }) => ({ _id, seq }));

test('concurrent inserts get consecutive numbers', async (t) => {
  const series = randomUUID();
  const added = await Promise.all(
    Array.from({ length: 8 }, () => insertNext(aSeries(series, randomUUID()))),
  );
  t.deepEqual(added.map(({ seq }) => seq).toSorted(), [1, 2, 3, 4, 5, 6, 7, 8]);
  t.is((await idsOf(series)).length, 8);
});

test('a series is unchanged when there is nothing to add', async (t) => {
  const series = randomUUID();
  t.is(await insertNext({ ...aSeries(series, 'none'), next: () => undefined }), undefined);
  t.deepEqual(await idsOf(series), []);
});

test('after a lost race the existing document is returned and nothing is added', async (t) => {
  const [series, _id] = [randomUUID(), randomUUID()];
  const once = { ...aSeries(series, _id), existing: () => model.findById(_id) };
  await insertNext(once);
  t.like(await insertNext(once), { _id, seq: 1 });
  t.deepEqual(await idsOf(series), [{ _id, seq: 1 }]);
});

test('after losing a race to a different document, the next number is tried', async (t) => {
  const [series, _id] = [randomUUID(), randomUUID()];
  const plain = aSeries(series, _id);
  let reads = 0;
  const late = await insertNext({
    ...plain,
    async newest() {
      const newest = await plain.newest();
      if (reads++ === 0) await model.create({ _id: `${_id} first`, series, seq: 1 });
      return newest;
    },
    existing: () => model.findById(_id),
  });
  t.is(late?.seq, 2);
});

test('if every race is lost, the caller’s error is thrown', async (t) => {
  const series = randomUUID();
  await model.create({ _id: randomUUID(), series, seq: 1 });
  let races = 0;
  const blind = {
    ...aSeries(series, randomUUID()),
    async newest() {
      races += 1;
      return null;
    },
  };
  await t.throwsAsync(insertNext({ ...blind, maxRaces: 3 }), { message: 'all lost' });
  t.is(races, 3);
});

let database: TestDatabase;

const documents = (...ids: string[]) => ids.map((_id) => ({ _id }) as never);

/** Requires more members than exist: the write is applied, but not acknowledged. */
const unsatisfiable = { w: 2, wtimeoutMS: 200 };

test('the refused writes of a bulk command are named, and the others are stored', async (t) => {
  const { collection } = database.models.watermarks;
  await collection.insertMany(documents('named-1'));
  const error = await t.throwsAsync(
    collection.insertMany(documents('named-0', 'named-1', 'named-2'), { ordered: false }),
  );
  t.deepEqual(
    refusedWrites(error).map(({ index }) => index),
    [1],
  );
  t.true(isOnlyDuplicates(error));
  t.is(await collection.countDocuments({ _id: /^named-/ as never }), 3);
});

test('if the write concern fails too, no write counts as stored, and none as a duplicate', async (t) => {
  const { collection } = database.models.watermarks;
  await collection.insertMany(documents('concern-1'));
  const error = await t.throwsAsync(
    collection.insertMany(documents('concern-0', 'concern-1'), {
      ordered: false,
      writeConcern: unsatisfiable,
    }),
  );
  t.deepEqual(refusedWrites(error), []);
  t.false(isOnlyDuplicates(error));
});

test('any other error is not a refused write', (t) => {
  t.deepEqual(refusedWrites(new Error('the database is away')), []);
});

test('existing documents are left unchanged', async (t) => {
  const { watermarks } = database.models;
  t.true(await insertMissing(watermarks, documents('missing-0', 'missing-1')));
  t.false(await insertMissing(watermarks, documents('missing-1', 'missing-2')));
  t.is(await watermarks.collection.countDocuments({ _id: /^missing-/ as never }), 3);
});

let service: Service;

test.before(async () => {
  connection = await connectMongo(testUri());
  const schema = new Schema<Numbered>({ _id: String, series: String, seq: Number });
  schema.index({ series: 1, seq: 1 }, { unique: true });
  model = connection.model<Numbered>('Numbered', schema);
  await model.createIndexes();
  database = await takeDatabase();
  service = await startService();
});

test.after.always(async () => {
  await connection.dropDatabase();
  await connection.close();
  await database?.giveBack();
  await service?.stop();
});

test('concurrent first additions to a sum stay within its limit', async (t) => {
  const { mailCounts } = service.models;
  const expiresAt = new Date(Date.now() + 60_000);
  for (const [limit, asked] of [
    [20, 20],
    [7, 20],
  ] as const) {
    const _id = `test ${randomUUID()}`;
    const adding = Array.from({ length: asked }, () =>
      addWithinLimit(mailCounts, { _id, expiresAt }, 'count', { by: 1, limit }),
    );
    const added = (await Promise.all(adding)).filter((isAdded) => isAdded);
    t.is(added.length, limit);
    t.is((await mailCounts.findById(_id))?.count, limit);
  }
});

test('an addition above the limit does not create the sum', async (t) => {
  const { mailCounts } = service.models;
  const sum = { _id: `test ${randomUUID()}`, expiresAt: new Date(Date.now() + 60_000) };
  t.false(await addWithinLimit(mailCounts, sum, 'count', { by: 3, limit: 2 }));
  t.is(await mailCounts.findById(sum._id), null);
});
