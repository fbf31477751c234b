import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { canInstallDebian } from '../../dev/tools/debian.ts';
import { installPhp } from '../../dev/tools/php.ts';
import { installPythonTools } from '../../dev/tools/python-tools.ts';
import { createAccessToken } from '../../operations/account.ts';
import { operate } from '../helpers/operate.ts';
import { type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';
import { aUser } from '../portal/helpers/people.ts';
import { portalOf } from '../portal/helpers/portal.ts';

/**
 * Runs the examples of the pages for integrators: on each page, the blocks of a language are one program, in their order.
 * Blocks that are not meant to run are `console`, `http`, `json` or `text`.
 */
const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const clients = join(root, 'clients');

interface Language {
  file: string;
  /** What stands before the page's blocks. */
  prelude: string;
  command: (file: string) => [command: string, ...args: string[]];
}

let python: string;
const languages: Record<string, Language> = {
  sh: { file: 'example.sh', prelude: 'set -euo pipefail\n', command: (file) => ['bash', file] },
  ts: { file: 'example.mts', prelude: '', command: (file) => [process.execPath, file] },
  python: { file: 'example.py', prelude: '', command: (file) => [python, file] },
  php: {
    file: 'example.php',
    prelude: `<?php
require '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function (string $name): void {
    $file = getenv('PHP_CLIENT') . '/' . str_replace(['PartnerEvents\\\\', '\\\\'], ['', '/'], $name) . '.php';
    if (is_file($file)) require $file;
});
`,
    command: (file) => ['php', file],
  },
};
const notRun = ['console', 'http', 'json', 'text', 'mermaid'];

let service: Service;
let directory: string;
let env: Record<string, string | undefined>;
test.before(async (t) => {
  t.timeout(10 * 60_000);
  python = join(await installPythonTools(), 'python');
  if (canInstallDebian()) await installPhp();
  service = await startService();
  directory = await mkdtemp(join(tmpdir(), 'docs-examples-'));
  const partner = await townOf(service).withPoints({ mode: 'TEST', fundingCents: 100_000 });
  const { partnerId, key, secret } = partner;
  const portal = await portalOf(service);
  const { _id: userId } = await aUser(portal, { partnerId, role: 'developer' });
  const token = { partnerId, userId, name: 'examples', days: 7 };
  const { token: accessToken } = await operate(portal.deps, createAccessToken, token);
  env = {
    ...process.env,
    PARTNER_URL: service.baseUrl,
    PARTNER_KEY: key,
    PARTNER_SECRET: secret,
    PARTNER_PORTAL_URL: portal.url,
    PARTNER_TOKEN: accessToken,
    PYTHONPATH: join(clients, 'python/src'),
    PHP_CLIENT: join(clients, 'php/src'),
  };
  await mkdir(join(directory, 'node_modules/partner-events'), { recursive: true });
  await writeFile(
    join(directory, 'node_modules/partner-events/index.mjs'),
    `export * from ${JSON.stringify(join(clients, 'typescript/index.ts'))};\n`,
  );
  await writeFile(
    join(directory, 'node_modules/partner-events/package.json'),
    JSON.stringify({ name: 'partner-events', exports: './index.mjs' }),
  );
  const demo = {
    baseUrl: service.baseUrl,
    portalUrl: portal.url,
    accessToken,
    test: { key, secret },
  };
  await mkdir(join(directory, '.data'));
  await writeFile(join(directory, '.data/demo.json'), JSON.stringify(demo));
});
test.after.always(async () => {
  await service?.stop();
  if (directory) await rm(directory, { recursive: true, force: true });
});

let ran = 0;
for (const page of globSync('docs/integrate/*.md', { cwd: root }).toSorted()) {
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  for (const name of new Set(blocks.map(([, language = '']) => language))) {
    if (notRun.includes(name)) continue;
    ran += 1;
    test.serial(`${basename(page)}: the ${name} example runs`, async (t) => {
      t.timeout(5 * 60_000);
      const language = languages[name];
      if (!language) throw new Error(`${page} has a block of an unknown language, ${name}`);
      const { file, prelude, command } = language;
      const own = blocks.filter(([, other]) => other === name).map(([, , code]) => code);
      await writeFile(join(directory, file), prelude + own.join('\n'));
      const [program, ...args] = command(file);
      const options = { cwd: directory, env, timeout: 4 * 60_000 };
      const { stdout } = await run(program, args, options);
      // As by somebody who tries it once more.
      await run(program, args, options);
      const code = own.join('\n');
      const printed = [...code.matchAll(/console\.log\(.*\); \/\/ ([\w. ]+?)(?::.*)?$/gm)];
      t.deepEqual(
        printed.map(([, text = '']) => text).filter((text) => !stdout.includes(text)),
        [],
        stdout,
      );
    });
  }
}

test('the pages for integrators have examples in each language', (t) => {
  t.true(ran >= 9);
});
