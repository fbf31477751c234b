import test from 'ava';
import { retentionActivities } from '../../activities/jobs.ts';
import { keyDocOf } from '../../models/store/data-keys.ts';
import { newId } from '../../platform/ids.ts';
import { type TestDatabase, takeDatabase } from '../helpers/test-database.ts';

let models: TestDatabase['models'];
let giveBack: TestDatabase['giveBack'];
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
});
test.after.always(() => giveBack?.());

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

test('contacts are erased after the configured number of days', async (t) => {
  const contactRetentionDays = 10;
  const { eraseOldContacts } = retentionActivities({ models, contactRetentionDays });
  const customer = { partnerId: 'prt_1', customerId: 'cus_1' };
  const [old, young] = [newId('dataKey'), newId('dataKey')];
  await models.dataKeys.create([
    keyDocOf({ dataKeyId: old, wrapped: 'v1' }, customer, daysAgo(11)),
    keyDocOf({ dataKeyId: young, wrapped: 'v1' }, customer, daysAgo(9)),
  ]);
  t.is(await eraseOldContacts(), 1);
  t.is((await models.dataKeys.findById(old).orFail()).wrapped, null);
  t.is((await models.dataKeys.findById(young).orFail()).wrapped, 'v1');
  t.is(await eraseOldContacts(), 0);
});

test('addresses of requests are shortened after thirty days', async (t) => {
  const { shortenAddresses } = retentionActivities({ models, contactRetentionDays: 10 });
  await models.integrationEvents.collection.insertMany(
    [31, 29].map((days) => ({
      _id: `iev_${days}`,
      partnerId: 'prt_1',
      requestId: `req_${days}`,
      receivedAt: daysAgo(days),
      address: '192.0.2.1',
      network: '192.0.2.0/24',
    })) as never[],
  );
  t.is(await shortenAddresses(), 1);
  const stored = await models.integrationEvents.find().sort({ receivedAt: 1 });
  t.deepEqual(
    stored.map(({ address }) => address),
    [null, '192.0.2.1'],
  );
  t.is(await shortenAddresses(), 0);
});
