import { resolve } from 'node:path';
import { log } from './log.ts';
import { startServers } from './servers.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';
import { claimDataFolder } from './start/data-folder.ts';

/** `npm run servers`: MongoDB and Temporal only, until Ctrl-C. */
const stopped = shutdownRequested();
const servers = await runUntilShutdown(stopped, async () => {
  const dataDir = resolve(process.env.DATA_DIR || '.data');
  await claimDataFolder(dataDir);
  return await startServers({ dataDir, env: process.env, log });
});
log(`
  MongoDB       ${servers.mongodbUri}
  Temporal      ${servers.temporalAddress}
  Temporal UI   ${servers.temporalUi}

  To use them:  MONGODB_URI='${servers.mongodbUri}' TEMPORAL_ADDRESS=${servers.temporalAddress}
  Ctrl-C stops them.
`);
const lost = await Promise.race([stopped, servers.lost]);
if (lost) log(`${lost}; stopping the rest.`);
await shutDown(lost ? 1 : 0);
