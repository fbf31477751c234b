import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import mongoose from 'mongoose';
import { walletIdOf } from '../../../domain/postings.ts';
import { type Commit, createCommit } from '../../../models/commit.ts';
import { waitingAmong } from '../../../models/ledger/index.ts';
import { createModels, type Models } from '../../../models/schemas/index.ts';
import { newId } from '../../../platform/ids.ts';
import { patienceMs } from '../../helpers/patience.ts';
import { type TestDatabase, takeDatabase } from '../../helpers/test-database.ts';

const hashKey = createSecretKey(randomBytes(32));

let models: Models;
let commit: Commit;
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
  commit = createCommit({ patienceMs, models, hashKey, now: Date.now });
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
    purchaseEventId: `evt_${partnerId}${index}`,
    customerId: 'cus_1',
    mode: 'LIVE',
    currency: 'USD',
    liabilityCents: 7,
    state: index % 2 === 0 ? 'AWAITING_FUNDING' : 'FUNDED',
  }));
  await models.rewards.collection.insertMany(rewards as never[]);
  const ids = rewards.filter(({ state }) => state === 'AWAITING_FUNDING').map(({ _id }) => _id);
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

/** The reads of rewards that a commit of a wallet makes. */
async function readsOfCommit(partnerId: string) {
  const db = models.connection.db;
  await db?.dropCollection('system.profile').catch(() => undefined);
  await db?.command({ profile: 2 });
  const queue = await commit({
    partnerId,
    wallet: { mode: 'LIVE', partnerId },
    decide: (draft) => draft.queue,
  });
  await db?.command({ profile: 0 });
  const reads = await db
    ?.collection<{ keysExamined: number; docsExamined: number }>('system.profile')
    .find({ ns: `${models.connection.name}.rewards` })
    .toArray();
  return { queue, reads: reads ?? [] };
}

test.serial(
  'a commit reads the first hundred of a queue, one index key each, however many wait',
  async (t) => {
    for (const waiting of [small, large]) {
      const { wallet, ids } = await aQueue(waiting);
      const { partnerId } = wallet;
      await models.partners.collection.insertOne({ _id: partnerId } as never);
      const first = { _id: walletIdOf(wallet), ...wallet, balances: {}, seq: 0, hash: '' };
      const total = { rewards: waiting, points: waiting * 7, cents: waiting * 7 };
      const rewards = { USD: { AWAITING_FUNDING: total } };
      await models.wallets.collection.insertOne({ ...first, rewards, version: 0 } as never);
      const { queue, reads } = await readsOfCommit(partnerId);
      t.deepEqual(queue, ids.slice(0, 100));
      const [read, ...noOther] = reads;
      t.deepEqual(noOther, []);
      const { keysExamined = 1e6, docsExamined = 1e6 } = read ?? {};
      t.true(keysExamined <= 101 && docsExamined <= 100, JSON.stringify(read));
    }
  },
);

test.serial('a commit of a wallet without a queue reads no reward', async (t) => {
  const partnerId = newId('partner');
  await models.partners.collection.insertOne({ _id: partnerId } as never);
  t.deepEqual(await readsOfCommit(partnerId), { queue: [], reads: [] });
});

test.serial(
  'the amount that a queue needs is summed from index keys: no reward is read',
  async (t) => {
    const { wallet } = await aQueue(large);
    const all = { $lt: '~', $nin: [] };
    t.deepEqual(await waitingAmong(models, wallet, all), {
      awaitingRewards: large,
      awaitingCents: large * 7,
    });
    const examined = await examinedBy(() => waitingAmong(models, wallet, all));
    t.is(examined.documents, 0);
    t.true(examined.keys <= large + 1);
  },
);
