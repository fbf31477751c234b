import test from 'ava';
import { shardKeys } from '../../models/store/sharding.ts';
import { eventually } from '../helpers/eventually.ts';
import { startOwnProcess } from '../helpers/own-process.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

/** Runs the command on the tests' MongoDB, which is a replica set without mongos. */
async function shard(...options: string[]) {
  const command = startOwnProcess(service, ['cli/shard.ts', ...options]);
  await eventually(async () => command.hasEnded(), 'the command has ended');
  return { code: await command.end(), lines: command.output().trim().split('\n') };
}

test('a dry run prints the shard key of each growing collection', async (t) => {
  const { code, lines } = await shard('--dry-run');
  t.is(code, 0);
  const { name } = service.models.connection;
  t.deepEqual(
    lines,
    Object.entries(shardKeys).map(
      ([collection, key]) => `${name}.${collection}: would be sharded by ${JSON.stringify(key)}`,
    ),
  );
});

test('on a server other than mongos, the command shards nothing and says so', async (t) => {
  const { code, lines } = await shard();
  t.is(code, 1);
  t.deepEqual(lines, [
    'This server is not a mongos, so nothing is sharded. Use --dry-run to see what would be sharded.',
  ]);
});
