import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';

const { needsInstall } = await import(new URL('../../dev/bootstrap.mjs', import.meta.url).href);

/** A project folder whose lockfile and, when given, installation have these times. */
async function project(lockfileSeconds: number, installedSeconds?: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bootstrap-'));
  await writeFile(join(folder, 'package-lock.json'), '{}');
  await utimes(join(folder, 'package-lock.json'), lockfileSeconds, lockfileSeconds);
  if (installedSeconds !== undefined) {
    const installed = join(folder, 'node_modules', '.package-lock.json');
    await mkdir(join(folder, 'node_modules'));
    await writeFile(installed, '{}');
    await utimes(installed, installedSeconds, installedSeconds);
  }
  return folder;
}

const cases = [
  {
    title: 'npm ci runs when nothing is installed',
    lock: 1000,
    installed: undefined,
    wanted: true,
  },
  { title: 'npm ci runs when the lockfile is newer', lock: 1001, installed: 1000, wanted: true },
  {
    title: 'npm ci does not run when the lockfile is older',
    lock: 999,
    installed: 1000,
    wanted: false,
  },
];

for (const { title, lock, installed, wanted } of cases) {
  test(title, async (t) => {
    const folder = await project(lock, installed);
    t.teardown(() => rm(folder, { recursive: true }));
    t.is(needsInstall(folder), wanted);
  });
}
