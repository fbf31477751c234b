import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';

const root = new URL('../../', import.meta.url);
const { needsInstall, runsService } = await import(new URL('dev/bootstrap.mjs', root).href);

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

test('the service runs on the versions of Node in engines, one of which is installed with it', async (t) => {
  const { engines, optionalDependencies } = JSON.parse(
    await readFile(new URL('package.json', root), 'utf8'),
  );
  t.is(engines.node, '^24.7.0 || >=26.0.0');
  for (const version of ['24.7.0', '26.0.0', '28.1.2', ...Object.values(optionalDependencies)]) {
    t.true(runsService(version), String(version));
  }
  for (const version of ['20.20.2', '22.19.0', '24.6.0', '25.9.0']) t.false(runsService(version));
});

test('every script prepares what it needs', async (t) => {
  const { scripts } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  for (const [name, script] of Object.entries(scripts)) {
    t.regex(String(script), /^(exec )?node dev\/bootstrap\.mjs /, name);
  }
});
