import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from 'commander';
import { log } from '../dev/log.ts';
import { stopAllProcesses } from '../dev/managed-process.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from '../dev/shutdown.ts';
import { markdownTable } from '../dev/table.ts';
import { startThrowawayServers } from '../dev/throwaway-servers.ts';
import { onlyOption } from './support/harness.ts';
import { checks } from './woocommerce/checks.ts';
import { startWordPress } from './woocommerce/wordpress.ts';

program
  .name('prove -- woocommerce')
  .description(
    'Sells in a WooCommerce shop on MariaDB, whose own webhooks and REST API a connection uses, and checks what the service has of it. Exits with 1 if anything is wrong.',
  )
  .requiredOption('--wordpress <folder>', 'WordPress with its plug-in WooCommerce; it is copied')
  .option('--record <file>', 'writes what the shop sent, by order and state, as JSON')
  .addOption(onlyOption(checks))
  .parse();
const { only, wordpress, record } = program.opts<{
  only: string[];
  wordpress: string;
  record?: string;
}>();

async function prove(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prove-woocommerce-'));
  const { env } = await startThrowawayServers({ dataDir, log });
  Object.assign(process.env, env);
  // It reads these addresses when it is loaded.
  const { openWorld } = await import('./woocommerce/world.ts');
  const shop = await startWordPress(wordpress, log);
  const world = await openWorld(shop);
  const rows: string[][] = [];
  let faults = 0;
  for (const [what, check] of Object.entries(checks)) {
    if (!only.includes(what)) continue;
    const beganMs = performance.now();
    const seen = await check(world).catch((error: unknown) => {
      faults += 1;
      const message = error instanceof Error ? error.message : String(error);
      log(`  ${message}`);
      return `FAULT: ${message.slice(0, 80)}`;
    });
    rows.push([what, seen, ((performance.now() - beganMs) / 1_000).toFixed(1)]);
    log(`${what}: ${seen}`);
  }
  log(markdownTable(['check', 'seen', 'seconds'], rows));
  if (record !== undefined) await world.writeRecorded(record);
  await world.stop();
  await stopAllProcesses();
  await Promise.all([shop.remove(), rm(dataDir, { recursive: true, force: true })]);
  log(faults === 0 ? 'The shop and the service agree.' : `${faults} FAULTS`);
  return faults;
}

const faults = await runUntilShutdown(shutdownRequested(), prove, 130);
await shutDown(faults === 0 ? 0 : 1);
