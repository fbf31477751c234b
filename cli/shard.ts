import { program } from 'commander';
import type { Connection } from 'mongoose';
import { shardKeys } from '../models/store/sharding.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';

program
  .name('shard')
  .description(
    'Shards the collections that grow with the purchases, each by its key. MONGODB_URI must name a mongos and a user with the role clusterManager. Collections already sharded this way are not changed. Run `migrate` first: each key needs its index.',
  )
  .option('--dry-run', 'only print what would be done')
  .parse();
const { dryRun } = program.opts<{ dryRun?: true }>();

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Long enough to shard a large collection. */
const timeoutMs = 600_000;
const mongo = await connectMongo(loadConfig(process.env).mongodbUri, timeoutMs);
const exitCode = await shardAll(mongo);
await mongo.close();
process.exit(exitCode);

/** @returns the exit code: 1 without a mongos, or if a collection is sharded by another key */
async function shardAll(connection: Connection): Promise<number> {
  const client = connection.getClient();
  const admin = client.db('admin');
  const { msg } = await admin.command({ hello: 1 });
  if (msg !== 'isdbgrid' && !dryRun) {
    say(
      'This server is not a mongos, so nothing is sharded. Use --dry-run to see what would be sharded.',
    );
    return 1;
  }
  // MongoDB 6.0 and newer do this by themselves; repeating it does no harm.
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
