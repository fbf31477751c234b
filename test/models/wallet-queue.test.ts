import test from 'ava';
import { mongo } from 'mongoose';
import { recordTopUp } from '../../domain/facts.ts';
import { createCommit } from '../../models/commit.ts';
import { createPartner } from '../../operations/partners.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

const now = () => Date.parse('2026-03-10T09:00:00.000Z');

/** A partner with money, and how it is moved. */
async function openScene({ patienceMs }: { patienceMs?: number } = {}) {
  const { models, hashKey } = database;
  const { _id: partnerId } = await operate({ models, now }, createPartner, { name: 'Shop' });
  const wallet = { mode: 'LIVE', partnerId } as const;
  let tries = 0;
  const counted = Object.assign(Object.create(models.connection), {
    startSession: () => {
      tries += 1;
      return models.connection.startSession();
    },
  });
  const commit = createCommit({
    models: { ...models, connection: counted },
    hashKey,
    now,
    ...(patienceMs !== undefined && { patienceMs }),
  });
  const move = (externalReference: string) =>
    commit({
      partnerId,
      wallet,
      decide: (draft, terms) =>
        recordTopUp(draft, wallet, { amountCents: 1, externalReference }, terms),
    });
  await move('first');
  const stored = () => models.wallets.collection.findOne({ partnerId });
  /** Another process has the wallet, in the middle of a commit. */
  const take = async () => {
    const session = await models.connection.startSession();
    session.startTransaction();
    await models.wallets.collection.updateOne({ partnerId }, { $inc: { version: 1 } }, { session });
    return session;
  };
  return {
    partnerId,
    move,
    stored,
    take,
    tries: () => tries,
    references: async () =>
      (await models.ledger.find({ partnerId }).sort({ seq: 1 })).map(({ reference }) => reference),
  };
}

test('who meets another on a wallet waits for its end, and moves the money then', async (t) => {
  const { move, take, tries, references } = await openScene();
  const other = await take();
  const moving = move('second');
  const before = tries();
  await eventually(async () => tries() > before, 'it has begun');
  await other.commitTransaction();
  await other.endSession();
  await moving;
  t.deepEqual(await references(), ['topUp:first', 'topUp:second']);
});

test('who takes a wallet sees who has asked for it meanwhile, and nobody asks for one that is free', async (t) => {
  const { partnerId, move, stored } = await openScene();
  t.is((await stored())?.wanted, 0);
  await database.models.wallets.collection.updateOne({ partnerId }, { $inc: { wanted: 3 } });
  await move('second');
  t.is((await stored())?.wanted, 0);
});

test('a group that is late is late as one, and none of it is tried alone', async (t) => {
  const { move, take, tries, references } = await openScene({ patienceMs: 500 });
  const other = await take();
  const before = tries();
  const settled = await Promise.allSettled(['a', 'b', 'c'].map(move));
  for (const one of settled) {
    t.true((one as PromiseRejectedResult).reason instanceof mongo.MongoOperationTimeoutError);
  }
  t.is(tries(), before + 1);
  await other.abortTransaction();
  await other.endSession();
  t.deepEqual(await references(), ['topUp:first']);
});

test('the money of a process that died amid a commit is moved by another one', async (t) => {
  const { move, take, references } = await openScene();
  const dead = await take();
  const admin = database.models.connection.getClient().db('admin');
  const { transactionLifetimeLimitSeconds } = await admin.command({
    getParameter: 1,
    transactionLifetimeLimitSeconds: 1,
  });
  t.is(transactionLifetimeLimitSeconds, 5);
  await eventually(
    () =>
      move('second').then(
        () => true,
        () => false,
      ),
    'the server ends the transaction',
  );
  t.deepEqual(await references(), ['topUp:first', 'topUp:second']);
  await dead.abortTransaction();
  await dead.endSession();
});
