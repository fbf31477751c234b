import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import test from 'ava';

const run = promisify(execFile);
const loggerUrl = new URL('../../platform/logger.ts', import.meta.url).href;
const hidden = ['secret', 'signature', 'email', 'phone', 'token', 'authorization'];

/** Logs in a process of its own, since a logger writes to standard output. */
async function linesOf(statements: string): Promise<Record<string, unknown>[]> {
  const script = `
    import { createLogger } from ${JSON.stringify(loggerUrl)};
    const logger = createLogger('api', { level: 'info' });
    ${statements}`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]).catch(
    (error: { stdout: string }) => error,
  );
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

test('a log line is JSON with its service, level and fields', async (t) => {
  const [line] = await linesOf(`logger.info({ requestId: 'req_1', status: 201 }, 'request');`);
  t.like(line, { service: 'api', level: 30, requestId: 'req_1', status: 201, msg: 'request' });
});

test('a log never shows a secret, a signature, an email, a phone number or a token', async (t) => {
  const fields = Object.fromEntries(hidden.map((name) => [name, 'in clear']));
  const lines = await linesOf(`
    const fields = ${JSON.stringify(fields)};
    logger.info(fields);
    logger.info({ request: fields });
    logger.child(fields).info('from a child');
    logger.child({ request: fields }).info('from a child');`);
  t.is(lines.length, 4);
  for (const line of lines) {
    t.false(JSON.stringify(line).includes('in clear'));
    const logged = (line.request ?? line) as Record<string, unknown>;
    for (const name of hidden) t.is(logged[name], '[redacted]', name);
  }
});

test('a single line is written promptly', async (t) => {
  const script = `
    import { createLogger } from ${JSON.stringify(loggerUrl)};
    createLogger('api', { level: 'info' }).info('alone');
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script]);
  t.teardown(() => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  t.regex(String(line), /"msg":"alone"/);
});

for (const ending of ['process.exit(3)', 'throw new Error("unforeseen")']) {
  test(`the last line before ${ending} is written`, async (t) => {
    const lines = await linesOf(`
      process.on('uncaughtException', () => process.exit(3));
      for (let n = 0; n < 1_000; n++) logger.info({ n });
      ${ending};`);
    t.deepEqual(
      lines.map(({ n }) => n),
      Array.from({ length: 1_000 }, (_, n) => n),
    );
  });
}

test('a process whose log disk is full keeps running within its memory limit, and exits normally', async (t) => {
  const script = `
    import { createLogger } from ${JSON.stringify(loggerUrl)};
    import { setTimeout as delay } from 'node:timers/promises';
    const logger = createLogger('api', { level: 'info' });
    const line = 'x'.repeat(10_000);
    for (let round = 0; round < 20; round++) {
      for (let n = 0; n < 500; n++) logger.info(line);
      await delay(20);
    }
    globalThis.gc();
    console.error(JSON.stringify(process.memoryUsage().arrayBuffers));
    process.exit(3);`;
  const full = await open('/dev/full', 'w');
  t.teardown(() => full.close());
  const args = ['--expose-gc', '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', full.fd, 'pipe'] });
  const [arrayBufferBytes, [code]] = await Promise.all([
    text(child.stderr as NodeJS.ReadableStream),
    once(child, 'exit'),
  ]);
  t.is(code, 3, arrayBufferBytes);
  // The process logged 100 MB.
  t.true(Number(arrayBufferBytes) < 20_000_000, arrayBufferBytes);
});

test('lines below the level are not logged', async (t) => {
  t.deepEqual(await linesOf(`logger.debug('unseen');`), []);
});
