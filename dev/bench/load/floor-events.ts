import mongoose from 'mongoose';
import type { Models } from '../../../models/schemas/index.ts';
import type { OrderEventDoc } from '../../../models/schemas/order-event.ts';
import { newId } from '../../../platform/ids.ts';

/** The documents that a floor writes: like order events, in a collection of their own. */
const collectionName = 'floor_events';

type Document = Record<string, unknown> & { _id: string };

/**
 * Builds the collection with every index of the order events, and puts one of them in as the pattern.
 * @throws Error where nothing was bought yet
 */
export async function prepareFloorEvents({
  connection,
  orderEvents,
}: Models): Promise<OrderEventDoc> {
  const floor = connection.collection<Document>(collectionName);
  for (const { key, v: _, ...options } of await orderEvents.collection.indexes()) {
    if (options.name !== '_id_') await floor.createIndex(key, options);
  }
  const pattern = await orderEvents.findOne({ type: 'PURCHASE' }).lean();
  if (!pattern) throw new Error('a floor needs one purchase to be like');
  await floor.insertOne({ ...pattern });
  return pattern;
}

/** A connection of the driver alone, which reads and writes such documents. */
export async function openFloorEvents(mongodbUri: string, maxPoolSize: number) {
  const client = await mongoose.mongo.MongoClient.connect(mongodbUri, { maxPoolSize });
  const events = client.db().collection<Document>(collectionName);
  const pattern = await events.findOne();
  if (!pattern) throw new Error('the floor is not prepared');
  const { partnerId, credentialId, type } = pattern;
  const inserted: string[] = [];
  let changed = 0;
  return {
    /** What a purchase asks first: is this key known? */
    find: (idempotencyKeyHash: string) =>
      events.findOne({ partnerId, credentialId, type, idempotencyKeyHash }),

    /** As durable as the service's own: acknowledged by a majority, and journaled. */
    insert: async (): Promise<void> => {
      const _id = newId('event');
      inserted.push(_id);
      const own = { _id, externalOrderId: _id, idempotencyKeyHash: _id, rewardId: _id };
      await events.insertOne(
        { ...pattern, ...own, purchaseEventId: _id, workflowId: _id },
        { writeConcern: { w: 'majority', journal: true } },
      );
    },

    /** As durable: of one that was inserted here, each in its turn. */
    change: async (requestId: string): Promise<void> => {
      await events.updateOne(
        { _id: inserted[changed++ % inserted.length] ?? pattern._id },
        { $set: { requestId } },
        { writeConcern: { w: 'majority', journal: true } },
      );
    },

    close: () => client.close(),
  };
}
