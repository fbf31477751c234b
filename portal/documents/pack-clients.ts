import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCommand } from './bundle-command.ts';
import { zip } from './zip.ts';

/** Packs the clients for partners, with what the service's own packages have: a compiler, and nothing of Python or PHP. */
const clients = fileURLToPath(new URL('../../clients/', import.meta.url));
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const folder = join(clients, 'typescript');

/** Compiles the TypeScript client: modules and their types, once for `import` and once for `require`. */
export async function compileTypescriptClient(dist = join(folder, 'dist')): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const compile = (...args: string[]) =>
    execFileSync(process.execPath, [tsc, '--project', folder, ...args], { stdio: 'inherit' });
  compile('--outDir', dist);
  const asCommonJs = ['--module', 'commonjs', '--moduleResolution', 'bundler'];
  compile(...asCommonJs, '--verbatimModuleSyntax', 'false', '--outDir', join(dist, 'cjs'));
  writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
  // The compiler keeps .ts in the imports of declarations, which older compilers reject.
  for (const file of globSync(`${dist}/**/*.d.ts`)) {
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
  const command = Buffer.concat([Buffer.from('#!/usr/bin/env node\n'), await bundleCommand()]);
  await writeFile(join(dist, 'cli.js'), command, { mode: 0o755 });
}

/** The npm package of the TypeScript client, as it was compiled. @param args of `npm pack` */
export function packTypescriptClient(args: readonly string[], cwd = folder): void {
  execFileSync('npm', ['pack', '--ignore-scripts', ...args], { cwd, stdio: 'inherit' });
}

/** Writes all three packages into a folder. */
export async function packClients(into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  const own = await mkdtemp(join(tmpdir(), 'partner-events-'));
  try {
    for (const name of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE']) {
      await copyFile(join(folder, name), join(own, name));
    }
    await compileTypescriptClient(join(own, 'dist'));
    packTypescriptClient(['--pack-destination', resolve(into), '--silent'], own);
  } finally {
    await rm(own, { recursive: true });
  }
  for (const [name, file] of [packPythonClient(), packPhpClient()]) {
    await writeFile(join(into, name), file);
  }
}

const inFolder = (of: string, path: string) => readFileSync(join(clients, of, path));

/** @returns a wheel, which pip installs as it is */
export function packPythonClient(): [name: string, file: Buffer] {
  const project = inFolder('python', 'pyproject.toml').toString();
  const value = (name: string) => new RegExp(`^${name} = (.*)$`, 'm').exec(project)?.[1] ?? '';
  const text = (name: string): string => JSON.parse(value(name));
  const list = (name: string): string[] =>
    JSON.parse(
      (new RegExp(`^${name} = (\\[[^\\]]*\\])`, 'm').exec(project)?.[1] ?? '').replace(
        /,\s*\]/,
        ']',
      ),
    );
  const version = text('version');
  const info = `partner_events-${version}.dist-info`;
  const source = join(clients, 'python/src');
  const code = globSync('partner_events/**/*.{py,typed}', { cwd: source }).toSorted();
  const metadata = [
    'Metadata-Version: 2.4',
    `Name: ${text('name')}`,
    `Version: ${version}`,
    `Summary: ${text('description')}`,
    `License-Expression: ${text('license')}`,
    'License-File: LICENSE',
    ...list('classifiers').map((one) => `Classifier: ${one}`),
    `Requires-Python: ${text('requires-python')}`,
    ...list('dependencies').map((one) => `Requires-Dist: ${one}`),
    'Description-Content-Type: text/markdown',
    '',
    inFolder('python', 'README.md').toString(),
  ].join('\n');
  const wheel =
    'Wheel-Version: 1.0\nGenerator: partner-events\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
  const files: [string, Buffer][] = [
    ...code.map((path): [string, Buffer] => [path, inFolder('python/src', path)]),
    [`${info}/METADATA`, Buffer.from(metadata)],
    [`${info}/WHEEL`, Buffer.from(wheel)],
    [`${info}/licenses/LICENSE`, inFolder('python', 'LICENSE')],
  ];
  const recorded = files.map(([path, content]) => {
    const hash = createHash('sha256').update(content).digest('base64url');
    return `${path},sha256=${hash},${content.length}\n`;
  });
  const record = Buffer.from(`${recorded.join('')}${info}/RECORD,,\n`);
  const file = zip([...files, [`${info}/RECORD`, record]]);
  return [`partner_events-${version}-py3-none-any.whl`, file];
}

/** @returns a folder for Composer, whose manifest has the version that a repository would know */
export function packPhpClient(): [name: string, file: Buffer] {
  const manifest = JSON.parse(inFolder('php', 'composer.json').toString());
  const [, version = ''] =
    /^## (\d+\.\d+\.\d+)/m.exec(inFolder('php', 'CHANGELOG.md').toString()) ?? [];
  const paths = globSync('{src/**/*.php,*.md,LICENSE}', { cwd: join(clients, 'php') }).toSorted();
  const file = zip([
    ['composer.json', Buffer.from(`${JSON.stringify({ ...manifest, version }, null, 2)}\n`)],
    ...paths.map((path): [string, Buffer] => [path, inFolder('php', path)]),
  ]);
  return [`partner-events-php-${version}.zip`, file];
}
