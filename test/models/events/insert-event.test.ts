import { randomUUID } from 'node:crypto';
import test from 'ava';
import { createInsertEvent } from '../../../models/events/insert-event.ts';
import type { OrderEventDoc } from '../../../models/schemas/events.ts';
import { createModels } from '../../../models/schemas/index.ts';
import { isDuplicateKey } from '../../../models/store/insert-once.ts';
import { newId } from '../../../platform/ids.ts';
import { connectMongo } from '../../../platform/mongo.ts';
import { openStage } from '../../activities/helpers/stage.ts';
import { startCuttableProxy } from '../../helpers/cuttable-proxy.ts';
import { type Database, openDatabase } from '../../helpers/processes.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

/** Stores an event. @returns it, and a factory of events with other values for all unique fields */
async function recorded() {
  const stage = await openStage(database);
  await stage.rule();
  const { purchaseEventId } = await stage.report(stage.purchase());
  const { models } = database;
  const stored = await models.orderEvents.findById(purchaseEventId).orFail();
  const another = (): OrderEventDoc => {
    const _id = newId('event');
    const unique = { rewardId: newId('reward'), externalOrderId: randomUUID() };
    return { ...stored, ...unique, _id, purchaseEventId: _id, idempotencyKeyHash: randomUUID() };
  };
  const isStored = async ({ _id }: OrderEventDoc) =>
    (await models.orderEvents.exists({ _id })) !== null;
  return { stored, another, isStored, insert: createInsertEvent(models) };
}

test('of concurrently inserted events, those with a duplicate key fail, and the others are stored', async (t) => {
  const { stored, another, isStored, insert } = await recorded();
  const { idempotencyKeyHash, externalOrderId } = stored;
  const events = [
    another(),
    { ...another(), idempotencyKeyHash },
    another(),
    { ...another(), externalOrderId },
    another(),
  ];
  const results = await Promise.allSettled(events.map(insert));
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  );
  t.true(results.every((result) => result.status === 'fulfilled' || isDuplicateKey(result.reason)));
  t.deepEqual(await Promise.all(events.map(isStored)), [true, false, true, false, true]);
});

test('of two concurrent events with one key, one is stored', async (t) => {
  const { another, isStored, insert } = await recorded();
  const one = another();
  const other = { ...another(), idempotencyKeyHash: one.idempotencyKeyHash };
  const results = await Promise.allSettled([insert(one), insert(other)]);
  t.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  t.deepEqual(
    await Promise.all([isStored(one), isStored(other)]),
    results.map(({ status }) => status === 'fulfilled'),
  );
});

test('if MongoDB is unreachable, every insert of the batch fails, and none as a duplicate', async (t) => {
  const { another, isStored } = await recorded();
  const { connection } = database.models;
  const proxy = await startCuttableProxy(`${connection.host}:${connection.port}`);
  t.teardown(() => proxy.stop());
  const uri = `mongodb://${proxy.address}/${connection.name}?directConnection=true`;
  const cut = await connectMongo(uri, 300);
  t.teardown(() => cut.close());
  proxy.cut();
  const events = [another(), another()];
  const results = await Promise.allSettled(events.map(createInsertEvent(createModels(cut))));
  t.true(results.every((result) => result.status === 'rejected' && !isDuplicateKey(result.reason)));
  t.deepEqual(await Promise.all(events.map(isStored)), [false, false]);
});
