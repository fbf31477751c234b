import test from 'ava';
import {
  insertMissing,
  isOnlyDuplicates,
  refusedWrites,
} from '../../../models/store/insert-once.ts';
import { type TestDatabase, takeDatabase } from '../../helpers/test-database.ts';

let database: TestDatabase;
test.before(async () => {
  database = await takeDatabase();
});
test.after.always(() => database?.giveBack());

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
