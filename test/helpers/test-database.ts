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
      await models.connection.close();
      const built = Object.values(models.connection.models).map(({ collection, schema }) => ({
        name: collection.name,
        indexes: schema.indexes().length + 1,
      }));
      const isAsBuilt = await withDatabase(uri, async (database) => {
        if (!(await hasExactly(database, built))) {
          await database.dropDatabase();
          return false;
        }
        await Promise.all(built.map(({ name }) => database.collection(name).deleteMany({})));
        return true;
      });
      if (isAsBuilt) await withPool((names) => names.insertOne({ _id: models.connection.name }));
    },
  };
}

/** Whether no test has changed more of a database than what is in its collections. */
async function hasExactly(
  database: mongoose.mongo.Db,
  built: { name: string; indexes: number }[],
): Promise<boolean> {
  const there = await database.listCollections({}, { nameOnly: true }).toArray();
  if (there.length !== built.length || there.some(({ type }) => type !== 'collection'))
    return false;
  const right = await Promise.all(
    built.map(async ({ name, indexes }) => {
      return (await database.collection(name).indexes()).length === indexes;
    }),
  );
  return right.every(Boolean);
}

const withPool = <T>(
  work: (names: mongoose.mongo.Collection<{ _id: string }>) => Promise<T>,
): Promise<T> => withDatabase(testUri(pool), (database) => work(database.collection(pool)));

/**
 * By a connection of its own that waits as long as it takes: a test may leave a hundred thousand
 * documents, which take longer to delete than any request may.
 */
async function withDatabase<T>(
  uri: string,
  work: (database: mongoose.mongo.Db) => Promise<T>,
): Promise<T> {
  const client = new mongoose.mongo.MongoClient(uri);
  try {
    return await work(client.db());
  } finally {
    await client.close();
  }
}
