import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { runAva } from '../../dev/test/run-ava.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const config = `export default {
  files: ['*.test.ts'], extensions: { ts: 'module' }, workerThreads: false, timeout: '2m',
};`;

/** Runs ava on these test files. */
async function run(t: ExecutionContext, files: Record<string, string>, args: string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'run-ava-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await symlink(modules, join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'ava.config.js'), config);
  for (const [name, body] of Object.entries(files)) {
    await writeFile(join(folder, `${name}.test.ts`), `import test from 'ava';\n${body}`);
  }
  const shown: string[] = [];
  const env = { PATH: process.env.PATH };
  const counts = await runAva(args, env, folder, (line) => shown.push(line));
  return { counts, shown: shown.join('\n') };
}

const passing = `test('it passes', (t) => t.is(1, 1)); test('so does this', (t) => t.pass());`;

test('passed tests are counted', async (t) => {
  const { counts } = await run(t, { a: passing, b: passing });
  t.deepEqual(counts, { passed: 4, failed: 0 });
});

test('failures are counted and shown, and other files run', async (t) => {
  const failing = `test('it fails', (t) => t.is(1, 2)); test.after.always('hook', () => { throw new Error('why'); });`;
  const { counts, shown } = await run(t, { a: failing, b: passing });
  t.deepEqual(counts, { passed: 2, failed: 2 });
  t.regex(shown, /\[fail\]: a › it fails/);
  t.regex(shown, /Difference/);
});

test('a failure without a call stack is counted too', async (t) => {
  const failing = `test('it fails', () => {
    throw Object.assign(new Error('why'), { stack: 'Error: why' });
  });`;
  const { counts } = await run(t, { a: failing, b: passing });
  t.deepEqual(counts, { passed: 2, failed: 1 });
});

test('a run without any test fails', async (t) => {
  t.deepEqual((await run(t, {})).counts, { passed: 0, failed: 1 });
});

for (const [what, body] of Object.entries({
  'an uncaught error': `setImmediate(() => { throw new Error('unforeseen'); });
    test('it hangs', () => new Promise((resolve) => setTimeout(resolve, 60_000)));`,
  'an unhandled rejection': `test('it rejects', (t) => { Promise.reject(new Error('unforeseen')); t.pass(); });`,
  'an exit of the process': `test('it ends', () => process.exit(0));`,
  'a test whose promise never settles': `test('it hangs', () => new Promise(() => undefined));`,
})) {
  test(`${what} fails the run`, async (t) => {
    const { counts } = await run(t, { a: body });
    t.is(counts.failed, 1);
  });
}

test('a test that takes too long fails the run', async (t) => {
  const body = `test('it hangs', () => new Promise((resolve) => setTimeout(resolve, 60_000)));`;
  const { counts } = await run(t, { a: body }, ['--timeout=2s']);
  t.deepEqual(counts, { passed: 0, failed: 1 });
});
