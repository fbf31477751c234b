import mongoose from 'mongoose';
import type { OrderEventDoc } from '../../../models/schemas/events.ts';
import type { Models } from '../../../models/schemas/index.ts';
import { newId } from '../../../platform/ids.ts';

/** Documents written by a floor: shaped like order events, in their own collection. */
const collectionName = 'floor_events';

type Document = Record<string, unknown> & { _id: string };

/**
 * Creates the collection with the same indexes as order events, and copies one of them as the template.
 * @throws Error if there is no purchase yet
 */
export async function prepareFloorEvents({
  connection,
  orderEvents,
}: Models): Promise<OrderEventDoc> {
  const floor = connection.collection<Document>(collectionName);
  for (const { key, v: _, ...options } of await orderEvents.collection.indexes()) {
    if (options.name !== '_id_') await floor.createIndex(key, options);
  }
  const pattern = await orderEvents.findOne({ type: 'PURCHASE' });
  if (!pattern) throw new Error('the floor needs one purchase as a template');
  await floor.insertOne({ ...pattern });
  return pattern;
}

/** Reads and writes such documents through a bare driver connection. */
export async function openFloorEvents(mongodbUri: string, maxPoolSize: number) {
  const client = await mongoose.mongo.MongoClient.connect(mongodbUri, { maxPoolSize });
  const events = client.db().collection<Document>(collectionName);
  const pattern = await events.findOne();
  if (!pattern) throw new Error('the floor is not prepared');
  const { partnerId, credentialId, type } = pattern;
  const inserted: string[] = [];
  let changed = 0;
  return {
    /** The first query of a purchase: is the key known? */
    find: (idempotencyKeyHash: string) =>
      events.findOne({ partnerId, credentialId, type, idempotencyKeyHash }),

    /** Write concern majority and journaled, as in the service. */
    insert: async (): Promise<void> => {
      const _id = newId('event');
      inserted.push(_id);
      const own = { _id, externalOrderId: _id, idempotencyKeyHash: _id, rewardId: _id };
      await events.insertOne(
        { ...pattern, ...own, purchaseEventId: _id, workflowId: _id },
        { writeConcern: { w: 'majority', journal: true } },
      );
    },

    /** An equally durable update of the documents inserted here, one after the other. */
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
