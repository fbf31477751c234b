import test from 'ava';
import { connectMongo } from '../../platform/mongo.ts';
import { testUri } from '../helpers/test-database.ts';

test('the required read and write settings override those of the URI', async (t) => {
  const uri = new URL(testUri());
  for (const [name, value] of Object.entries({
    w: '1',
    journal: 'false',
    readConcernLevel: 'local',
    readPreference: 'secondary',
    retryWrites: 'false',
    retryReads: 'false',
  })) {
    uri.searchParams.set(name, value);
  }
  const connection = await connectMongo(uri.href);
  t.teardown(() => connection.close());
  const { writeConcern, readConcern, readPreference, retryWrites, retryReads } =
    connection.getClient().options;
  t.like(writeConcern, { w: 'majority', journal: true });
  t.is(readConcern.level, 'majority');
  t.is(readPreference.mode, 'primary');
  t.deepEqual([retryWrites, retryReads], [true, true]);
});
