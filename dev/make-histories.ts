import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';
import { throwawayFolder } from './test/throwaway-folder.ts';
import { startThrowawayServers } from './throwaway-servers.ts';

/**
 * `npm run make -- histories`: runs every path of every workflow against its own servers, and writes the
 * histories that the tests replay (docs/decisions/004). Run it after an intended change to a workflow, and
 * keep the old files as long as such workflows can still be running.
 */
const folder = fileURLToPath(new URL('../test/histories', import.meta.url));

async function record(): Promise<void> {
  const dataDir = await mkdtemp(join(throwawayFolder(), 'record-histories-'));
  try {
    const { env } = await startThrowawayServers({ dataDir, log });
    Object.assign(process.env, env);
    // The test service reads these addresses when it is loaded.
    const { takeEveryPath } = await import('../test/workflows/helpers/every-path.ts');
    const { writeHistory } = await import('../test/workflows/helpers/history-file.ts');
    await mkdir(folder, { recursive: true });
    for (const { path, history } of await takeEveryPath()) {
      await writeFile(join(folder, `${path}.json`), writeHistory(history));
      log(`${path}: ${history.events?.length} events`);
    }
  } finally {
    await stopAllProcesses();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await runUntilShutdown(shutdownRequested(), record);
await shutDown(0);
