import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { installNodeTools } from '../../../dev/tools/node-tools.ts';
import { installPythonTools } from '../../../dev/tools/python-tools.ts';
import { createAccessToken } from '../../../operations/account.ts';
import { operate } from '../../helpers/operate.ts';

import { type Service, startService } from '../../helpers/service.ts';
import { aUser } from '../../portal/helpers/people.ts';
import { startPortal, type TestPortal } from '../../portal/helpers/portal.ts';

/** Installs the client's archive, made by `npm run make -- client`, into empty projects, and uses it against the service. */
const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
const node24 = process.execPath;
/** The path with the machine's own Node, which is version 20 where releases are tested. */
const machinePath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

let service: Service;
let portal: TestPortal;
let directory: string;
let archive: string;
/** Package checkers, and other runtimes. */
let tools: string;
let node22: string;
let deno: string;

test.before(async (t) => {
  t.timeout(20 * 60_000);
  tools = await installNodeTools();
  node22 = join(tools, 'node');
  deno = join(await installPythonTools(), 'deno');
  service = await startService();
  portal = await startPortal(service);
  directory = await mkdtemp(join(tmpdir(), 'typescript-package-'));
  // Twice: the second build must be complete despite files left by the first.
  await pack();
  archive = join(directory, await pack());
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
  if (directory) await rm(directory, { recursive: true, force: true });
});

/** @returns the archive's file name */
async function pack(): Promise<string> {
  const command = [
    'run',
    'make',
    '--silent',
    '--',
    'client',
    '--json',
    '--pack-destination',
    directory,
  ];
  const packed = await run('npm', command, { cwd: root });
  const listing = packed.stdout.slice(packed.stdout.search(/^[[{]/m));
  const { filename } = [JSON.parse(listing)]
    .flat()
    .flatMap((of) => (of.filename ? of : Object.values(of)))[0] as { filename: string };
  return filename;
}

/** Creates a project with these files and the client installed. */
async function project(files: Record<string, string>, type = 'module'): Promise<string> {
  const folder = await mkdtemp(join(directory, 'project-'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', archive], { cwd: folder });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** Code of a partner's shop. The programs print `seen`. */
const shop = `
const client = new PartnerClient({
  baseUrl: settings.PARTNER_URL,
  key: settings.PARTNER_KEY,
  secret: settings.PARTNER_SECRET,
});
const bought = await client.purchase(
  { externalOrderId: 'A1', customer: { email: 'jürgen@example.com' }, order: { subtotalCents: 4990 } },
  { idempotencyKey: 'purchase:A1' },
);
const returned = await client.refund({ externalOrderId: 'A1' }, { idempotencyKey: 'refund:A1' });
const code = await client.refund({ externalOrderId: 'A2' }).catch((error) =>
  error instanceof PartnerApiError ? error.code : error,
);
const { plans, rateLimit } = await client.plans();
const seen = [bought.reward.status, returned.refund.status, code, Array.isArray(plans), rateLimit?.limit];
`;
const printed = `${JSON.stringify(['PENDING', 'CANCELLED', 'ORIGINAL_PURCHASE_NOT_FOUND', true, 100_000])}\n`;
const named = `import { PartnerApiError, PartnerClient } from 'partner-events';\n`;
const program = `${named}const settings = process.env;${shop}const { log } = console;\nlog(JSON.stringify(seen));\n`;

/** Environment variables with the credentials of a new partner. */
async function partnerEnv(): Promise<Record<string, string>> {
  const { baseUrl, key, secret } = await service.partner();
  const credential = { PARTNER_URL: baseUrl, PARTNER_KEY: key, PARTNER_SECRET: secret };
  return { ...credential, PATH: machinePath, HOME: directory };
}

async function checkOutput(
  t: ExecutionContext,
  cwd: string,
  command: string,
  ...args: string[]
): Promise<void> {
  const { stdout } = await run(command, args, { cwd, env: await partnerEnv() });
  t.is(stdout, printed);
}

/** @returns esbuild's output for a file, unless `args` have an output file */
async function bundle(file: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(join(tools, 'esbuild'), [file, '--bundle', '--format=esm', ...args]);
  return stdout;
}

test('publint and arethetypeswrong find nothing wrong with the package', async (t) => {
  const publint = await run(node24, [join(tools, 'publint'), archive, '--strict']);
  t.regex(publint.stdout, /All good/);
  // It exits with another code if any of node10, node16 and bundler finds a problem.
  await t.notThrowsAsync(run(node24, [join(tools, 'attw'), archive]));
});

test('the package has no dependencies, and contains compiled code, types and source maps', async (t) => {
  const folder = await project({});
  const installed = join(folder, 'node_modules', 'partner-events');
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  t.is(manifest.dependencies, undefined);
  t.is(manifest.license, 'MIT');
  t.regex(await readFile(join(installed, 'LICENSE'), 'utf8'), /^MIT License/);
  const { stdout } = await run('ls', [join(folder, 'node_modules')]);
  t.is(stdout, 'partner-events\n');
  const map = JSON.parse(await readFile(join(installed, 'dist/client.js.map'), 'utf8'));
  t.true(map.sourcesContent[0].includes('export class PartnerClient'));
});

test('a JavaScript project runs on the installed Node, on 22, on 24, on Bun and on Deno', async (t) => {
  const folder = await project({ 'shop.js': program });
  const { stdout } = await run('node', ['--version'], { env: await partnerEnv() });
  t.log(`the installed Node is ${stdout.trim()}`);
  await checkOutput(t, folder, 'node', 'shop.js');
  for (const [node, major] of [
    [node22, 'v22'],
    [node24, 'v24'],
  ] as const) {
    t.true((await run(node, ['--version'])).stdout.startsWith(major));
    await checkOutput(t, folder, node, 'shop.js');
  }
  await checkOutput(t, folder, join(tools, 'bun'), 'shop.js');
  await checkOutput(t, folder, deno, 'run', '-A', '--node-modules-dir=manual', 'shop.js');
});

test('a CommonJS project can require it', async (t) => {
  const cjs = program.replace(/import (.*) from ('.*');/, 'const $1 = require($2);');
  const folder = await project({ 'shop.cjs': `(async () => {${cjs}})();` }, 'commonjs');
  await checkOutput(t, folder, 'node', 'shop.cjs');
});

const resolutions = { node16: 'node16', nodenext: 'nodenext', bundler: 'esnext' };
for (const [resolution, module] of Object.entries(resolutions)) {
  test(`a TypeScript project with moduleResolution ${resolution} compiles, all declarations checked, and runs`, async (t) => {
    const typed = program
      .replace(
        'const settings = process.env;',
        'declare const process: { env: Record<string, string> };\nconst settings = process.env as { PARTNER_URL: string; PARTNER_KEY: string; PARTNER_SECRET: string };',
      )
      .replace(
        'const seen =',
        'const points: number = bought.reward.points;\nif (points < 0) throw new Error();\nconst seen: unknown[] =',
      );
    const compilerOptions = {
      module,
      moduleResolution: resolution,
      target: 'es2022',
      types: [],
      strict: true,
      skipLibCheck: false,
      outDir: 'out',
    };
    const folder = await project({
      'shop.ts': typed,
      'tsconfig.json': JSON.stringify({ compilerOptions, files: ['shop.ts'] }),
    });
    await run(node24, [tsc, '--project', folder]);
    if (resolution !== 'bundler') return await checkOutput(t, folder, 'node', 'out/shop.js');
    await bundle(join(folder, 'shop.ts'), `--outfile=${join(folder, 'out.mjs')}`);
    await checkOutput(t, folder, 'node', 'out.mjs');
  });
}

test('an edge runtime without Node’s modules runs it', async (t) => {
  const folder = await project({
    'shop.js': `${named}const settings = SETTINGS;${program.slice(program.indexOf(shop))}`,
  });
  const env = await partnerEnv();
  const settings = `--define:SETTINGS=${JSON.stringify(env)}`;
  const code = await bundle(join(folder, 'shop.js'), '--platform=neutral', settings);
  t.false(code.includes('node:'));
  const { EdgeVM } = await import(join(tools, '../@edge-runtime/vm/dist/index.js'));
  const logged: string[] = [];
  const vm = new EdgeVM({
    extend: (context: Record<string, unknown>) =>
      Object.assign(context, { console: { log: (text: string) => logged.push(text) } }),
  });
  await vm.evaluate(`(async () => {${code}})()`);
  t.deepEqual(logged, [printed.trim()]);
});

test('npx runs the commands', async (t) => {
  const folder = await project({});
  const { key, secret, baseUrl, partnerId } = await service.partner();
  const { _id: userId } = await aUser(portal, { partnerId, role: 'developer' });
  const { token } = await operate(portal.deps, createAccessToken, {
    partnerId,
    userId,
    name: 'npx',
    days: 7,
  });
  const env = {
    PARTNER_URL: baseUrl,
    PARTNER_KEY: key,
    PARTNER_SECRET: secret,
    PARTNER_PORTAL_URL: portal.url,
    PARTNER_TOKEN: token,
    PATH: machinePath,
    HOME: directory,
  };
  const npx = async (...args: string[]) => {
    const { stdout } = await run('npx', ['partner-events', ...args], { cwd: folder, env });
    return stdout;
  };
  t.regex(await npx('--help'), /Usage: partner-events/);
  t.regex(await npx('logs', '--help'), /node partner-events.mjs logs --order A1/);
  const customer = ['--email', 'a@b.co', '--subtotal', '49.90'];
  t.regex(await npx('purchase', '--order', 'N1', ...customer), /Purchase N1 accepted, TEST/);
  t.regex(await npx('refund', '--order', 'N1'), /Refund of N1 accepted/);
  t.regex(await npx('usage'), /N1/);
  t.regex(await npx('trigger', 'claim'), /AVAILABLE/);
  t.regex(await npx('doctor', '--body', '{}'), /The string to sign/);
  t.regex(await npx('logs'), /ACCEPTED.*N1/);
});
