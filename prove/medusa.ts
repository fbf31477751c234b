import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from 'commander';
import { installChromium } from '../dev/browser.ts';
import { log } from '../dev/log.ts';
import { stopAllProcesses } from '../dev/managed-process.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from '../dev/shutdown.ts';
import { markdownTable } from '../dev/table.ts';
import { checks } from './medusa/checks.ts';
import { prepareShop } from './medusa/packages.ts';
import { startPostgres } from './medusa/postgres.ts';
import { startRedis } from './medusa/redis.ts';
import { startService } from './medusa/service.ts';
import { startShop } from './medusa/shop.ts';
import { onlyOption } from './support/harness.ts';
import { createProcesses, serverOptions } from './support/processes.ts';

program
  .name('prove -- medusa')
  .description(
    'Sells in a Medusa shop of two processes, on PostgreSQL and Redis, with the plug-in of clients/medusa, and checks what the service has of it. Exits with 1 if anything is wrong.',
  )
  .addOption(onlyOption(checks))
  .parse();
const { only } = program.opts<{ only: string[] }>();

async function prove(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prove-medusa-'));
  const options = serverOptions(dataDir, log);
  const processes = createProcesses();
  const rows: string[][] = [];
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const beganMs = performance.now();
    const result = await work();
    const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
    rows.push([what, typeof result === 'string' ? result : '', seconds]);
    log(`${what}: ${seconds} s`);
    return result;
  };
  const packed = await timed('(the plug-in is built and packed)', () =>
    prepareShop(options.cacheDir),
  );
  await installChromium(process.env, log);
  const [postgres, redis] = [await startPostgres(log), await startRedis(log)];
  const service = await timed('(the service starts)', () => startService(processes, options));
  const partner = await service.openPartner('USD');
  const shop = await timed('(the shop is migrated and starts)', () =>
    startShop(processes, {
      ...packed,
      databaseUrl: postgres.url,
      redisUrl: redis.url,
      env: options.env,
    }),
  );
  const world = { service, shop, partner, postgres, redis };
  let faults = 0;
  for (const [what, check] of Object.entries(checks)) {
    if (!only.includes(what)) continue;
    await timed(what, async () => {
      try {
        return await check(world);
      } catch (error) {
        faults += 1;
        const message = error instanceof Error ? error.message : String(error);
        log(`  ${message}`);
        return `FAULT: ${message.slice(0, 80)}`;
      }
    });
  }
  log(markdownTable(['check', 'seen', 'seconds'], rows));
  await stopAllProcesses();
  if (faults === 0) {
    const folders = [postgres, redis, packed].map((one) => one.remove());
    await Promise.all([...folders, rm(dataDir, { recursive: true })]);
  } else log(`What happened is kept in ${dataDir} and ${packed.folder}.`);
  log(faults === 0 ? 'The shop and the service agree.' : `${faults} FAULTS`);
  return faults;
}

const faults = await runUntilShutdown(shutdownRequested(), prove, 130);
await shutDown(faults === 0 ? 0 : 1);
