import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findChromium } from './browser.ts';
import { bundleWorkflows } from './bundle-workflows.ts';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';
import { throwawayFolder } from './test/throwaway-folder.ts';
import { startThrowawayServers } from './throwaway-servers.ts';

/**
 * `npm run screenshots`: fills a test service with a shop's recent weeks, and saves pictures of the main
 * pages in `docs/screenshots/`. Arguments name the pictures to take; the default is all.
 */
const folder = fileURLToPath(new URL('../docs/screenshots', import.meta.url));

async function takeAll(): Promise<void> {
  const dataDir = await mkdtemp(join(throwawayFolder(), 'screenshots-'));
  try {
    const chromiumPath = await findChromium(process.env, log);
    const { env } = await startThrowawayServers({ dataDir, log });
    Object.assign(process.env, env, { WORKFLOW_BUNDLE: await bundleWorkflows() });
    // The test service reads these when it is loaded.
    const { takePictures } = await import('./screenshots/take.ts');
    await takePictures({ chromiumPath, folder, names: process.argv.slice(2), log });
  } finally {
    await stopAllProcesses();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await runUntilShutdown(shutdownRequested(), takeAll);
await shutDown(0);
