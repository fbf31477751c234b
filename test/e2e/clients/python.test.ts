import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { makeSynchronousClient } from '../../../dev/make-python-client.ts';
import { installPythonTools } from '../../../dev/tools/python-tools.ts';
import { conformance } from '../../clients/conformance/suite.ts';

/** Runs the conformance suite against the Python wheel's synchronous and asynchronous clients. */
const run = promisify(execFile);
const clients = fileURLToPath(new URL('../../../clients/', import.meta.url));
const directory = await mkdtemp(join(tmpdir(), 'python-client-'));
test.after.always(() => rm(directory, { recursive: true, force: true }));

/** Builds the sdist and the wheel, and installs the wheel into a separate folder. */
async function build(): Promise<{ python: string; site: string; built: string[] }> {
  const bin = await installPythonTools();
  const python = join(bin, 'python');
  const dist = join(directory, 'dist');
  await run(python, ['-m', 'build', '--no-isolation', '--outdir', dist, join(clients, 'python')]);
  const built = (await readdir(dist)).toSorted();
  const wheel = built.find((file) => file.endsWith('.whl')) ?? '';
  const site = join(directory, 'site');
  await run(python, [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-deps',
    '--target',
    site,
    join(dist, wheel),
  ]);
  return { python, site, built };
}

const packed = build();

test('the wheel and the sdist are built, and their types pass mypy and ruff', async (t) => {
  t.timeout(20 * 60_000);
  const { python, site, built } = await packed;
  t.deepEqual(built, ['partner_events-0.1.0-py3-none-any.whl', 'partner_events-0.1.0.tar.gz']);
  t.true((await readdir(join(site, 'partner_events'))).includes('py.typed'));
  const at = { cwd: join(clients, 'python') };
  await t.notThrowsAsync(run(python, ['-m', 'mypy', 'src', '--cache-dir', directory], at));
  await t.notThrowsAsync(run(python, ['-m', 'ruff', 'check', '--no-cache', '.'], at));
});

test('the synchronous client is made from the asynchronous one', async (t) => {
  await makeSynchronousClient(`${directory}/`);
  const read = (folder: string) => readFile(join(folder, 'client.py'), 'utf8');
  t.is(
    await read(directory),
    await read(join(clients, 'python/src/partner_events/_sync')),
    'npm run make -- python-client',
  );
});

for (const kind of ['sync', 'async']) {
  conformance(test, `Python, ${kind}`, async () => {
    const { python, site } = await packed;
    const driver = join(clients, 'conformance/drivers/python.py');
    return {
      command: python,
      args: ['-B', driver, kind],
      env: { ...process.env, PYTHONPATH: site },
    };
  });
}
