import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedCommandBundle } from '../bundle-command.ts';
import { bundleWorkflows } from '../bundle-workflows.ts';
import { log } from '../log.ts';
import type { RunningServers } from '../servers.ts';
import { startThrowawayServers, testServerSettings } from '../throwaway-servers.ts';
import { startOnDemand, startSharedService } from './start-service.ts';

/**
 * Starts what the tests run against: MongoDB, Temporal, and on demand the service that test files share.
 * @param version of the service's code; when it changes, the next file that needs the service gets a new one
 * @returns the servers, and the environment with their addresses
 */
export async function startTestServers(
  dataDir: string,
  version?: () => string,
): Promise<{ servers: RunningServers; env: NodeJS.ProcessEnv }> {
  const [{ servers, env }, bundles] = await Promise.all([
    startThrowawayServers({ ...testServerSettings, dataDir, log }),
    testBundles(),
  ]);
  const testEnv = { ...env, TEMPORAL_UI_URL: servers.temporalUi, ...bundles };
  const start = async () => {
    const folder = await mkdtemp(join(dataDir, 'service-'));
    return await startSharedService(folder, { ...testEnv, ...(await testBundles()) });
  };
  return { servers, env: { ...testEnv, TEST_SERVICE: await startOnDemand(start, version) } };
}

/** What processes need not bundle themselves. */
export async function testBundles(): Promise<{ WORKFLOW_BUNDLE: string; COMMAND_BUNDLE: string }> {
  const [WORKFLOW_BUNDLE, COMMAND_BUNDLE] = await Promise.all([
    bundleWorkflows(),
    cachedCommandBundle(),
  ]);
  return { WORKFLOW_BUNDLE, COMMAND_BUNDLE };
}
