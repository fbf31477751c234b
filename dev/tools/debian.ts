import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { oneAtATime } from './install-once.ts';

const run = promisify(execFile);
const aptGet = '/usr/bin/apt-get';
const lock = new URL('../../.data/tools/debian.lock/', import.meta.url);

/** Whether Debian's packages can be installed without confirmation: by root, with apt-get. */
export const canInstallDebian = (): boolean => process.getuid?.() === 0 && existsSync(aptGet);

/**
 * Installs Debian's packages if missing. Concurrent processes take turns, because apt-get refuses to run
 * twice.
 * @param isHere whether nothing is missing
 * @throws Error that names the packages, if they cannot be installed here
 */
export async function installDebian(
  packages: readonly string[],
  isHere: () => boolean,
): Promise<void> {
  if (isHere()) return;
  if (!canInstallDebian()) {
    throw new Error(`Packages are missing. On Debian: apt-get install ${packages.join(' ')}`);
  }
  await oneAtATime(lock, async () => {
    if (isHere()) return;
    await apt('update');
    await apt('install', '--no-install-recommends', ...packages);
  });
}

async function apt(...args: string[]): Promise<void> {
  await run(aptGet, ['-q', '-y', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  });
}
