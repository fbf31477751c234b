import { program } from 'commander';
import type { Connection } from 'mongoose';
import { shardKeys } from '../models/store/sharding.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';

program
  .name('shard')
  .description(
    'Shards the collections that grow with the purchases, each by its key. MONGODB_URI names a mongos, and a user who may (clusterManager). What is sharded so already is left as it is. Run `migrate` first: each key needs its index.',
  )
  .option('--dry-run', 'only say what would be done')
  .parse();
const { dryRun } = program.opts<{ dryRun?: true }>();

const say = (line: string) => process.stdout.write(`${line}\n`);

/** To shard what is there already takes its time. */
const patienceMs = 600_000;
const mongo = await connectMongo(loadConfig(process.env).mongodbUri, patienceMs);
const wrong = await shardAll(mongo);
await mongo.close();
process.exit(wrong);

/** @returns the exit code: 1 where something is not as it should be */
async function shardAll(connection: Connection): Promise<number> {
  const client = connection.getClient();
  const admin = client.db('admin');
  const { msg } = await admin.command({ hello: 1 });
  if (msg !== 'isdbgrid' && !dryRun) {
    say('This server is not a mongos, so nothing is sharded. Use --dry-run to see what would be.');
    return 1;
  }
  // MongoDB 6.0 and newer do so by themselves; it may be said again.
  if (!dryRun) await admin.command({ enableSharding: connection.name });
  let code = 0;
  for (const [collection, key] of Object.entries(shardKeys)) {
    const namespace = `${connection.name}.${collection}`;
    const wanted = JSON.stringify(key);
    const known =
      msg === 'isdbgrid'
        ? await client
            .db('config')
            .collection<{ _id: string; key: unknown }>('collections')
            .findOne({ _id: namespace, key: { $exists: true } })
        : null;
    const found = known && JSON.stringify(known.key);
    if (found === wanted) say(`${namespace}: sharded by ${wanted} already`);
    else if (found) {
      say(`${namespace}: is sharded by ${found}, not by ${wanted}; reshardCollection changes that`);
      code = 1;
    } else if (dryRun) say(`${namespace}: would be sharded by ${wanted}`);
    else {
      await admin.command({ shardCollection: namespace, key });
      say(`${namespace}: sharded by ${wanted}`);
    }
  }
  return code;
}
