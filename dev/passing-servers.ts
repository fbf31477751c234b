import { registerSearchAttributes } from '../temporal/connection.ts';
import { type RunningServers, type ServersWish, startServers } from './servers.ts';

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
