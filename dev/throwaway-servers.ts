import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { registerSearchAttributes } from '../temporal/connection.ts';
import { type RunningServers, type ServersOptions, startServers } from './servers.ts';

/** Continue-as-new is suggested early, so that a test can reach it. */
export const suggestedAfterEvents = 300;

/** Settings of the servers that a test run uses. */
export const testServerSettings = {
  temporalSettings: [`limit.historyCount.suggestContinueAsNew=${suggestedAfterEvents}`],
  // A run writes hundreds of small databases that are never read again. Checkpoints, and evictions at 5 %
  // of a small cache, would cost mongod a good part of its CPU time for nothing; so would finds that pass
  // index entries which are gone, and which it keeps for five minutes in case of a read at an earlier time:
  // the audit's reads of one moment need them for a moment.
  mongodOptions: [
    ...['--wiredTigerCacheSizeGB', '3', '--syncdelay', '0'],
    ...['--setParameter', 'minSnapshotHistoryWindowInSeconds=30'],
    '--wiredTigerEngineConfigString',
    'eviction_dirty_target=70,eviction_dirty_trigger=90,eviction_updates_target=60,eviction_updates_trigger=80',
  ],
} as const;

/**
 * Starts MongoDB and Temporal for one run, on free ports and with their own data. Servers named in the
 * environment are never used, since callers write and delete.
 * @returns the environment, with the addresses of these servers
 */
export async function startThrowawayServers(
  options: Omit<ServersOptions, 'env' | 'ports'>,
): Promise<{ servers: RunningServers; env: NodeJS.ProcessEnv }> {
  const { MONGODB_URI: _mongodb, TEMPORAL_ADDRESS: _temporal, ...env } = process.env;
  const ports = { mongodb: 0, temporal: 0, temporalUi: 0 };
  const servers = await startServers({ ...options, env, ports });
  await registerSearchAttributes(servers.temporalAddress, 'default');
  const addresses = {
    MONGODB_URI: servers.mongodbUri,
    TEMPORAL_ADDRESS: servers.temporalAddress,
    // Where test files leave the names of the databases that they emptied (`test/helpers/test-database.ts`).
    TEST_DATABASES: join(options.dataDir, 'databases'),
  };
  await mkdir(addresses.TEST_DATABASES);
  return { servers, env: { ...env, ...addresses } };
}
