import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { databaseUri } from '../../dev/database-uri.ts';
import { buildIndexes, createModels, type Models } from '../../models/schemas/index.ts';
import { connectPatiently } from './connect-patiently.ts';

/** Where the names of the databases are that are ready for whoever needs one. */
const pool = 'test_databases';

export interface TestDatabase {
  models: Models;
  uri: string;
  /** Empties it for the next file, and ends the connection. Nothing may write to it any more. */
  giveBack(): Promise<void>;
}

/** The URI of a database of the run's MongoDB. */
export function testUri(database = `test_${randomUUID().slice(0, 8)}`): string {
  const { MONGODB_URI } = process.env;
  if (!MONGODB_URI) throw new Error('Run the tests with `npm test`, which starts what they need.');
  return databaseUri(MONGODB_URI, database);
}

/**
 * An empty database with every collection and index, for one file at a time: one that another file has
 * given back where there is one, since to make a hundred indexes takes longer than most files do.
 */
export async function takeDatabase(): Promise<TestDatabase> {
  const found = await withPool((names) => names.findOneAndDelete({}));
  const uri = testUri(found?._id);
  const models = createModels(await connectPatiently(uri));
  if (found === null) await buildIndexes(models);
  return {
    models,
    uri,
    async giveBack() {
      const { connection } = models;
      if (await isAsBuilt(models)) {
        await Promise.all(collectionsOf(models).map((one) => one.deleteMany({})));
        await withPool((names) => names.insertOne({ _id: connection.name }));
      } else await connection.dropDatabase();
      await connection.close();
    },
  };
}

/** The collections as the driver has them, without what a test did to the models'. */
function collectionsOf({ connection }: Models) {
  const database = connection.getClient().db(connection.name);
  return Object.values(connection.models).map((model) =>
    database.collection(model.collection.name),
  );
}

/** Whether no test has changed more than what is in it. */
async function isAsBuilt(models: Models): Promise<boolean> {
  const { connection } = models;
  const database = connection.getClient().db(connection.name);
  const there = await database.listCollections({}, { nameOnly: true }).toArray();
  const built = Object.values(connection.models);
  if (there.length !== built.length || there.some(({ type }) => type !== 'collection'))
    return false;
  const counts = await Promise.all(
    built.map(async ({ collection, schema }) => {
      const indexes = await database.collection(collection.name).indexes();
      return indexes.length === schema.indexes().length + 1;
    }),
  );
  return counts.every(Boolean);
}

async function withPool<T>(
  work: (names: mongoose.mongo.Collection<{ _id: string }>) => Promise<T>,
): Promise<T> {
  const client = new mongoose.mongo.MongoClient(testUri(pool));
  try {
    return await work(client.db().collection<{ _id: string }>(pool));
  } finally {
    await client.close();
  }
}
