import { randomUUID } from 'node:crypto';
import test from 'ava';
import { type Connection, type Model, Schema } from 'mongoose';
import { insertNext, type Series } from '../../../models/store/insert-next.ts';
import { connectPatiently } from '../../helpers/connect-patiently.ts';
import { testUri } from '../../helpers/test-database.ts';

interface Numbered {
  _id: string;
  series: string;
  seq: number;
}

let connection: Connection;
let model: Model<Numbered>;
test.before(async () => {
  connection = await connectPatiently(testUri());
  const schema = new Schema<Numbered>({ _id: String, series: String, seq: Number });
  schema.index({ series: 1, seq: 1 }, { unique: true });
  model = connection.model<Numbered>('Numbered', schema);
  await model.createIndexes();
});
test.after.always(async () => {
  await connection.dropDatabase();
  await connection.close();
});

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
