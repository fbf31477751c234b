import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';

const run = promisify(execFile);
const loggerUrl = new URL('../../platform/logger.ts', import.meta.url).href;
const hidden = ['secret', 'signature', 'email', 'phone', 'token', 'authorization'];

/** Logs in a process of its own, since a logger writes to standard output. */
async function linesOf(statements: string): Promise<Record<string, unknown>[]> {
  const script = `
    import { createLogger } from ${JSON.stringify(loggerUrl)};
    const logger = createLogger('api', { level: 'info', format: 'json' });
    ${statements}`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

test('a line is JSON with its service, level and fields', async (t) => {
  const [line] = await linesOf(`logger.info({ requestId: 'req_1', status: 201 }, 'request');`);
  t.like(line, { service: 'api', level: 30, requestId: 'req_1', status: 201, msg: 'request' });
});

test('a log never shows a secret, a signature, an e-mail, a phone number or a token', async (t) => {
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

test('what is below the level is not logged', async (t) => {
  t.deepEqual(await linesOf(`logger.debug('unseen');`), []);
});
