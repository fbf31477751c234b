import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MongoBinary } from 'mongodb-memory-server-core';
import { DryMongoBinary } from 'mongodb-memory-server-core/lib/util/DryMongoBinary.js';
import { MongoBinaryDownloadUrl } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownloadUrl.js';
import { spawnGuarded } from '../guarded.ts';
import type { Binary, Log } from './binary.ts';
import { probe } from './download.ts';

/** A download that brings nothing for this long is given up. */
const stallMs = 20_000;
const growthCheckMs = 3_000;

/** mongod as an earlier run fetched it from mongodb.org. */
export async function cachedMongod(cacheDir: string): Promise<Binary | undefined> {
  const path = await DryMongoBinary.locateBinary(await mongodOptions(cacheDir));
  return path ? { path } : undefined;
}

/**
 * mongod from mongodb.org, through mongodb-memory-server, which knows the right build for each system
 * and shows its own progress.
 * @throws Error within seconds where that host is out of reach
 */
export async function fetchMongod(cacheDir: string, log: Log): Promise<Binary> {
  const options = await mongodOptions(cacheDir);
  await probe(await new MongoBinaryDownloadUrl(options).getDownloadUrl());
  log(`mongod: fetching ${options.version} from mongodb.org`);
  return { path: await MongoBinary.getPath({ ...options, checkMD5: true }) };
}

async function mongodOptions(cacheDir: string) {
  return await DryMongoBinary.generateOptions({ downloadDir: join(cacheDir, 'mongodb') });
}

/** The Temporal CLI as an earlier run fetched it from temporal.download. */
export async function cachedTemporal(cacheDir: string): Promise<Binary | undefined> {
  const path = await downloaded(join(cacheDir, 'temporal'));
  return path ? { path } : undefined;
}

/**
 * The Temporal CLI from temporal.download, as the SDK fetches it for its tests. That happens in a
 * process of its own, because the SDK takes over the handling of signals and its download cannot be
 * stopped; a process can.
 * @throws Error within seconds where that host is out of reach
 */
export async function fetchTemporal(cacheDir: string, log: Log): Promise<Binary> {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  await probe(
    `https://temporal.download/cli/default?arch=${arch}&platform=${process.platform}`,
    'GET',
  );
  log('temporal: fetching the Temporal CLI from temporal.download');
  const downloadDir = join(cacheDir, 'temporal');
  await mkdir(downloadDir, { recursive: true });
  const fetcher = await spawnGuarded({
    command: process.execPath,
    args: [fileURLToPath(new URL('./fetch-temporal.ts', import.meta.url)), downloadDir],
    env: process.env,
    graceMs: 0,
  });
  const stopWatching = watchGrowth(downloadDir, log, () => void fetcher.stop());
  const code = await fetcher.exited;
  stopWatching();
  const path = await downloaded(downloadDir);
  if (code !== 0 || !path) throw new Error('the download did not succeed');
  return { path };
}

/** Tells how much has arrived, and gives up a download that no longer grows. */
function watchGrowth(downloadDir: string, log: Log, giveUp: () => void): () => void {
  let arrivedBytes = 0;
  let grewAtMs = Date.now();
  const timer = setInterval(async () => {
    const names = await readdir(downloadDir);
    const sizes = await Promise.all(
      names.map(async (name) => (await stat(join(downloadDir, name)).catch(() => undefined))?.size),
    );
    const nowBytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
    if (nowBytes > arrivedBytes) grewAtMs = Date.now();
    arrivedBytes = nowBytes;
    log(`  Temporal CLI: ${(arrivedBytes / 1e6).toFixed(1)} MB`);
    if (Date.now() - grewAtMs > stallMs) giveUp();
  }, growthCheckMs);
  return () => clearInterval(timer);
}

/** The SDK names the program after itself and its version; an unfinished one ends in `.downloading`. */
async function downloaded(downloadDir: string): Promise<string | undefined> {
  const names = await readdir(downloadDir).catch(() => []);
  const name = names.find(
    (entry) => entry.startsWith('temporal-') && !entry.endsWith('.downloading'),
  );
  return name && join(downloadDir, name);
}
