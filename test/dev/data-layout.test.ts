import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { claimDataFolder } from '../../dev/servers/data-layout.ts';

test('a data folder is created once, and reused by the same version', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'layout-'));
  t.teardown(() => rm(dir, { recursive: true }));
  const dataDir = join(dir, 'data');
  await claimDataFolder(dataDir);
  await mkdir(join(dataDir, 'mongodb'));
  await t.notThrowsAsync(claimDataFolder(dataDir));
});

test('a data folder of an older version is left untouched, with instructions', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'layout-'));
  t.teardown(() => rm(dir, { recursive: true }));
  await mkdir(join(dir, 'mongodb'));
  await t.throwsAsync(claimDataFolder(dir), { message: /another version.*DATA_DIR=/s });
  t.deepEqual(await readdir(dir), ['mongodb']);
});
