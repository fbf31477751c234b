import { registerSearchAttributes } from '../temporal/connection.ts';
import { type RunningServers, type ServersWish, startServers } from './servers.ts';

/** How the servers of a run of tests are set. */
export const forTests = {
  // Workflow runs grow too large soon, so that a test can see what becomes of one.
  temporalSettings: ['limit.historyCount.suggestContinueAsNew=400'],
  // Hundreds of small databases that nobody reads again: to write them out in the background, by
  // checkpoints and by eviction at 5 % of a small cache, costs mongod a good part of its processor time.
  mongodOptions: [
    ...['--wiredTigerCacheSizeGB', '2', '--syncdelay', '0'],
    '--wiredTigerEngineConfigString',
    'eviction_dirty_target=70,eviction_dirty_trigger=90,eviction_updates_target=60,eviction_updates_trigger=80',
  ],
} as const;

/**
 * MongoDB and Temporal for one run, on free ports and data of their own: never those that happen to be
 * named in the environment, since what uses these writes and deletes.
 * @returns the environment, with their addresses in the place of any other
 */
export async function startPassingServers(
  wish: Omit<ServersWish, 'env' | 'ports'>,
): Promise<{ servers: RunningServers; env: NodeJS.ProcessEnv }> {
  const { MONGODB_URI: _mongodb, TEMPORAL_ADDRESS: _temporal, ...env } = process.env;
  const ports = { mongodb: 0, temporal: 0, temporalUi: 0 };
  const servers = await startServers({ ...wish, env, ports });
  await registerSearchAttributes(servers.temporalAddress, 'default');
  const addresses = {
    MONGODB_URI: servers.mongodbUri,
    TEMPORAL_ADDRESS: servers.temporalAddress,
  };
  return { servers, env: { ...env, ...addresses } };
}
