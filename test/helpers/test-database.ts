import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { mongo } from 'mongoose';
import { databaseUri } from '../../dev/database-uri.ts';
import { buildIndexes, createModels, type Models } from '../../models/schemas/index.ts';
import { connectMongo } from '../../platform/mongo.ts';
import './servers.ts';

/** With more documents, deleting them takes longer than rebuilding the indexes. */
const maxDocumentsToDelete = 3_000;

export interface TestDatabase {
  models: Models;
  uri: string;
  /** Empties it for the next file, and closes the connection. Nothing must write to it afterwards. */
  giveBack(): Promise<void>;
}

/** The URI of a database of the run's MongoDB. */
export function testUri(database = `test_${randomUUID().slice(0, 8)}`): string {
  return databaseUri(process.env.MONGODB_URI ?? '', database);
}

/**
 * Takes an empty database with all collections and indexes for one file: one that another file has given
 * back, if there is one, because building a hundred indexes takes longer than most files do.
 */
export async function takeDatabase(): Promise<TestDatabase> {
  const ready = takeReady();
  const uri = testUri(ready);
  const models = createModels(await connectMongo(uri));
  if (ready === undefined) await buildIndexes(models);
  return {
    models,
    uri,
    async giveBack() {
      const isEmptied = await empty(models);
      const { name } = models.connection;
      await models.connection.close();
      if (isEmptied) mkdirSync(join(readyFolder, name));
    },
  };
}

/** The folder with an empty folder for each ready database, which has its name. */
const readyFolder = process.env.TEST_DATABASES ?? '';

/** Takes a ready database, which no other process can then take. @returns its name */
function takeReady(): string | undefined {
  return readdirSync(readyFolder).find((name) => {
    try {
      rmdirSync(join(readyFolder, name));
      return true;
    } catch {
      // Another process was faster.
      return false;
    }
  });
}

/**
 * Deletes every document, or drops the database.
 * @returns whether the database still has exactly its collections and indexes
 */
async function empty({ connection }: Models): Promise<boolean> {
  const database = connection.getClient().db(connection.name);
  const models = Object.values(connection.models);
  const { collections, views, objects } = await database.stats();
  if (collections === models.length && views === 0 && objects <= maxDocumentsToDelete) {
    const found = await contentsOf(
      database,
      models.map(({ collection }) => collection.name),
    );
    const isAsBuilt = models.every(({ collection, schema }) => {
      return found.get(collection.name)?.indexes === schema.indexes().length + 1;
    });
    if (isAsBuilt) {
      for (const [name, { documents }] of found) {
        if (documents > 0) await database.collection(name).deleteMany({});
      }
      return true;
    }
  }
  await database.dropDatabase();
  return false;
}

interface Contents {
  documents: number;
  indexes: number;
}

/** Counts documents and indexes per collection with one command, because a hundred would take too long. */
async function contentsOf(
  database: mongo.Db,
  names: readonly string[],
): Promise<Map<string, Contents>> {
  const rows = names.flatMap((coll) => {
    const _id = { $literal: coll };
    return [
      [{ $collStats: { count: {} } }, { $project: { _id, documents: '$count' } }],
      [{ $indexStats: {} }, { $group: { _id, indexes: { $sum: 1 } } }],
    ].map((pipeline) => ({ $unionWith: { coll, pipeline } }));
  });
  const each = {
    _id: '$_id',
    documents: { $max: '$documents' },
    indexes: { $max: '$indexes' },
  };
  const found = await database
    .aggregate<Contents & { _id: string }>([{ $documents: [] }, ...rows, { $group: each }])
    .toArray();
  return new Map(found.map(({ _id, ...contents }) => [_id, contents]));
}
