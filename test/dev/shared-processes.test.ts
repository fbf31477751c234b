import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { avaCommand } from '../../dev/test/run-ava.ts';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const config = `export default {
  files: ['*.test.ts'], extensions: { ts: 'module' }, workerThreads: false, concurrency: 1,
  timeout: '10m',
};`;

/** Runs ava on these test files, one after the other; each records the process that runs it. */
async function run(t: ExecutionContext, files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'shared-processes-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await symlink(modules, join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'ava.config.js'), config);
  for (const [name, body] of Object.entries(files)) {
    const recording = `appendFileSync('ran', process.pid + '\\n');`;
    const head = `import { appendFileSync } from 'node:fs';\nimport test from 'ava';\n${recording}`;
    await writeFile(join(folder, `${name}.test.ts`), `${head}\n${body}`);
  }
  const { TEST_PROGRESS: _ours, ...env } = process.env;
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const ava = spawn(process.execPath, avaCommand, { cwd: folder, env, stdio: [...stdio] });
  const report = ava.stdout ? await text(ava.stdout) : '';
  const processes = (await readFile(join(folder, 'ran'), 'utf8')).trimEnd().split('\n');
  const numbers = [...new Set(processes)];
  return { report, ranIn: processes.map((one) => numbers.indexOf(one)) };
}

const passing = `test('it passes', (t) => t.is(1, 1));`;

test('one process runs several files in turn, each with its own hooks and titles', async (t) => {
  const withHook = `let value = 0; test.before(() => { value += 1; });
    test('it passes', (t) => t.is(value, 1));`;
  const { report, ranIn } = await run(t, { a: withHook, b: withHook, c: passing });
  t.regex(report, /^# pass 3$/m, report);
  t.regex(report, /^# fail 0$/m);
  t.deepEqual(ranIn, [0, 0, 0]);
});

test('failures are reported for their file, and the next one runs', async (t) => {
  const failing = `test('it fails', (t) => t.is(1, 2));`;
  const { report, ranIn } = await run(t, { a: failing, b: passing });
  t.regex(report, /^not ok 1 - a › it fails$/m, report);
  t.regex(report, /^ok 2 - b › it passes$/m);
  t.deepEqual(ranIn, [0, 0]);
});

test('a failure without a call stack is reported too', async (t) => {
  const failing = `test('it fails', () => {
    throw Object.assign(new Error('why'), { stack: 'Error: why' });
  });`;
  const { report } = await run(t, { a: failing, b: passing });
  t.regex(report, /^not ok 1 - a › it fails$/m, report);
  t.regex(report, /message: .*why/);
  t.regex(report, /^ok 2 - b › it passes$/m);
});

for (const [what, body] of Object.entries({
  'a timer': `${passing} setInterval(() => undefined, 1_000);`,
  'a server': `import { createServer } from 'node:http'; createServer().listen(0); ${passing}`,
})) {
  test(`a file that leaves ${what} behind takes its process with it`, async (t) => {
    const { report, ranIn } = await run(t, { a: body, b: passing });
    t.regex(report, /^# pass 2$/m, report);
    t.regex(report, /^# fail 0$/m);
    t.deepEqual(ranIn, [0, 1]);
  });
}

test('a file that closes its server last leaves its process to the next', async (t) => {
  const body = `import { once } from 'node:events'; import { createServer } from 'node:net'; let server;
    test.before(async () => { server = createServer().listen(0); await once(server, 'listening'); });
    test.after.always(() => { server.close(); });
    ${passing}`;
  const { report, ranIn } = await run(t, { a: body, b: passing });
  t.regex(report, /^# pass 2$/m, report);
  t.deepEqual(ranIn, [0, 0]);
});

for (const [what, body] of Object.entries({
  'an uncaught error': `setImmediate(() => { throw new Error('unforeseen'); });
    test('it hangs', () => new Promise(() => undefined));`,
  'an unhandled rejection': `test('it rejects', (t) => { Promise.reject(new Error('unforeseen')); t.pass(); });`,
  'an exit of the process': `test('it ends', () => process.exit(0));`,
})) {
  test(`${what} fails the run, and the next file runs in another process`, async (t) => {
    const { report, ranIn } = await run(t, { a: body, b: passing });
    t.regex(report, /^not ok /m, report);
    t.regex(report, /^ok \d - b › it passes$/m);
    t.deepEqual(ranIn, [0, 1]);
  });
}

test('a test whose promise never settles fails', async (t) => {
  const { report } = await run(t, {
    a: `test('it hangs', () => new Promise(() => undefined));`,
    b: passing,
  });
  t.regex(report, /^not ok \d - a › it hangs$/m, report);
  t.regex(report, /^ok \d - b › it passes$/m);
});
