import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { eventually } from '../helpers/eventually.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const module = new URL('../../platform/process.ts', import.meta.url).href;

/** A process that only runs until it is stopped. */
const program = `
  import { runProcess } from ${JSON.stringify(module)};
  const timer = setInterval(() => {}, 1000);
  await runProcess('example', async (config, log) => {
    log.info('running');
    return {
      ended: new Promise(() => {}),
      async stop() {
        clearInterval(timer);
        log.info('finished its work');
      },
    };
  }, 50);
`;

test('a process whose certificate, key or API key is replaced stops in order and exits with 0', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'replaced-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const apiKey = join(folder, 'api-key');
  const [certificate, certificateKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  for (const replaced of [apiKey, certificate, certificateKey]) {
    for (const file of [apiKey, certificate, certificateKey]) await writeFile(file, 'first\n');
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: {
        MONGODB_URI: 'mongodb://127.0.0.1/',
        TEMPORAL_ADDRESS: '127.0.0.1:7233',
        TEMPORAL_API_KEY_FILE: apiKey,
        TEMPORAL_TLS_CERT_FILE: certificate,
        TEMPORAL_TLS_KEY_FILE: certificateKey,
        MASTER_KEYS: `k1:${key}`,
        CUSTOMER_HASH_KEY: key,
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part) => {
        output += part;
      });
    }
    const exited = once(child, 'exit');
    await eventually(async () => output.includes('"running"'), 'the process runs');
    // A program that truncates the file before it writes leaves it empty for a moment.
    await writeFile(replaced, '');
    const ended = await Promise.race([
      exited,
      new Promise<undefined>((resolve) => setTimeout(resolve, 500, undefined)),
    ]);
    t.is(ended, undefined, 'an empty file does not stop it');
    await writeFile(replaced, 'second\n');
    const [code] = await exited;
    t.is(code, 0, output);
    t.regex(output, /"reason":"files replaced"/);
    t.regex(output, /finished its work/);
  }
});
