import test from 'ava';
import { liveAccounts } from '../../../domain/postings.ts';
import { createCrossings } from '../../../models/ledger/low-balance.ts';
import type { EntryDoc } from '../../../models/schemas/entries.ts';
import type { Models } from '../../../models/schemas/index.ts';
import { newId } from '../../../platform/ids.ts';
import { type TestDatabase, takeDatabase } from '../../helpers/test-database.ts';

let models: Models;
let giveBack: TestDatabase['giveBack'];
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
});
test.after.always(() => giveBack?.());

const entryOf = (account: string, amount: number, balanceAfter: number) =>
  ({ _id: newId('transaction'), postings: [{ account, amount, balanceAfter }] }) as EntryDoc;

test('entries that cross the low-balance threshold are found, in both directions', async (t) => {
  const partnerId = newId('partner');
  await models.partners.collection.insertOne({
    _id: partnerId,
    lowBalanceThresholdCents: 300,
  } as never);
  const { funding } = liveAccounts;
  const [atThreshold, down, below, up, above] = [
    entryOf(funding, -100, 300),
    entryOf(funding, -1, 299),
    entryOf(funding, -50, 249),
    entryOf(funding, 51, 300),
    entryOf(funding, 1, 301),
  ];
  const entries = [
    ...[atThreshold, down, below, up, above],
    entryOf(liveAccounts.payable('cus_1'), -1, 299),
  ];
  const crossings = createCrossings(models);
  for (let again = 0; again < 2; again++) {
    t.deepEqual(await crossings(partnerId, entries, 'DOWN'), [
      { entry: down, balanceCents: 299, thresholdCents: 300 },
    ]);
    t.deepEqual(await crossings(partnerId, entries, 'UP'), [
      { entry: up, balanceCents: 300, thresholdCents: 300 },
    ]);
  }
  t.deepEqual(await crossings(partnerId, [], 'DOWN'), []);
});
