import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from 'commander';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import { createProcesses, serverOptions } from './prove/processes.ts';
import { prepareShop } from './prove-medusa/packages.ts';
import { startPostgres } from './prove-medusa/postgres.ts';
import { startService } from './prove-medusa/service.ts';
import { startShop } from './prove-medusa/shop.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from './shutdown.ts';

program
  .name('prove -- medusa')
  .description(
    'Sells in a Medusa shop on PostgreSQL with the plug-in of clients/medusa, and checks what the service has of it. Exits with 1 if anything is wrong.',
  )
  .parse();

async function prove(): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prove-medusa-'));
  const processes = createProcesses();
  const options = serverOptions(dataDir, log);
  const { folder, medusa } = await prepareShop(options.cacheDir);
  log(folder);
  const postgres = await startPostgres(log);
  const service = await startService(processes, options);
  const partner = await service.openPartner('USD');
  const shop = await startShop(processes, {
    folder,
    medusa,
    databaseUrl: postgres.url,
    env: options.env,
  });
  log(
    `${shop.url} ${JSON.stringify(shop.admin)} ${postgres.url} ${service.baseUrl} ${JSON.stringify({ key: partner.key, secret: partner.secret })}`,
  );
  await new Promise(() => setInterval(() => undefined, 1e6));
  return 0;
}

await runUntilShutdown(shutdownRequested(), prove, 130);
await shutDown(0);
