import test from 'ava';
import mongoose from 'mongoose';
import { isAwaited, nextInQueue, waitingIn } from '../../../models/ledger/index.ts';
import { createModels, type Models } from '../../../models/schemas/index.ts';
import { newId } from '../../../platform/ids.ts';
import { type TestDatabase, takeDatabase } from '../../helpers/test-database.ts';

let models: Models;
let database: TestDatabase;
/** The commands sent to the database, oldest first. */
const sent: Record<string, unknown>[] = [];
test.before(async () => {
  database = await takeDatabase();
  const mongo = await mongoose
    .createConnection(database.uri, { monitorCommands: true })
    .asPromise();
  mongo.getClient().on('commandStarted', ({ command }) => sent.push(command));
  models = createModels(mongo);
});
test.after.always(async () => {
  await models.connection.close();
  await database.giveBack();
});

/** A LIVE wallet with a number of waiting rewards, and as many that do not wait. */
async function aQueue(waiting: number) {
  const partnerId = newId('partner');
  const rewards = Array.from({ length: waiting * 2 }, (_, index) => ({
    _id: newId('reward'),
    partnerId,
    walletId: partnerId,
    purchaseEventId: `evt_${partnerId}${index}`,
    customerId: 'cus_1',
    mode: 'LIVE',
    currency: 'USD',
    liabilityCents: 7,
    status: index % 2 === 0 ? 'AWAITING_FUNDING' : 'PENDING',
  }));
  await models.rewards.collection.insertMany(rewards as never[]);
  const ids = rewards.filter(({ status }) => status === 'AWAITING_FUNDING').map(({ _id }) => _id);
  return { wallet: { mode: 'LIVE', partnerId } as const, ids: ids.toSorted() };
}

interface Examined {
  keys: number;
  documents: number;
}

/** Runs a query, and explains the single command that it sent. */
async function examinedBy(ask: () => Promise<unknown>): Promise<Examined> {
  sent.length = 0;
  await ask();
  const commands = sent.filter(({ find, aggregate }) => find ?? aggregate);
  const [command] = commands;
  if (commands.length !== 1 || !command)
    throw new Error(`${commands.length} commands were sent instead of one`);
  const { lsid: _, $db: __, $clusterTime: ___, ...asked } = command;
  const explained = await models.connection.db?.command({
    explain: asked,
    verbosity: 'executionStats',
  });
  const stats = explained?.executionStats ?? explained?.stages[0].$cursor.executionStats;
  return { keys: stats.totalKeysExamined, documents: stats.totalDocsExamined };
}

const small = 10;
const large = 3_000;

test.serial('checking for waiting rewards reads one index key, however many wait', async (t) => {
  for (const waiting of [small, large]) {
    const { wallet, ids } = await aQueue(waiting);
    const [first = '', second = ''] = ids;
    t.true(await isAwaited(models, wallet));
    t.true(await isAwaited(models, wallet, { before: second }));
    t.false(await isAwaited(models, wallet, { before: first }));
    const examined = await examinedBy(() => isAwaited(models, wallet));
    t.true(examined.keys <= 1 && examined.documents <= 1, JSON.stringify(examined));
    const behind = await examinedBy(() => isAwaited(models, wallet, { before: second }));
    t.true(behind.keys <= 1 && behind.documents <= 1, JSON.stringify(behind));
  }
  const wallet = { mode: 'LIVE', partnerId: newId('partner') } as const;
  t.false(await isAwaited(models, wallet), 'a wallet without a queue is not affected by others');
  t.is((await examinedBy(() => isAwaited(models, wallet))).keys, 0);
});

test.serial(
  'reading the next in the queue costs one index key each, however many wait',
  async (t) => {
    for (const waiting of [small, large]) {
      const { wallet, ids } = await aQueue(waiting);
      t.deepEqual(await nextInQueue(models, wallet, null, 5), ids.slice(0, 5));
      const after = ids[4] ?? '';
      t.deepEqual(await nextInQueue(models, wallet, after, 5), ids.slice(5, 10));
      const examined = await examinedBy(() => nextInQueue(models, wallet, after, 5));
      t.true(examined.keys <= 6 && examined.documents <= 5, JSON.stringify(examined));
    }
  },
);

test.serial(
  'the amount that a queue needs is summed from index keys: no reward is read',
  async (t) => {
    const { wallet } = await aQueue(large);
    t.deepEqual(await waitingIn(models, wallet), {
      awaitingRewards: large,
      awaitingCents: large * 7,
    });
    const examined = await examinedBy(() => waitingIn(models, wallet));
    t.is(examined.documents, 0);
    t.true(examined.keys <= large + 1);
  },
);
