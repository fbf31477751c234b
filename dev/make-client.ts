import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installNodeTools } from './tools/node-tools.ts';

/**
 * `npm run make -- client`: compiles and packs the TypeScript client; arguments are those of `npm pack`. A plain `npm pack` in
 * its folder compiles by this file too: the client is no workspace, whose scripts `.npmrc` would skip. Modules stay separate files, with types and source maps, and for `require` each entry point is one; the command is
 * bundled into one file, so that the client has no dependencies.
 */
const folder = fileURLToPath(new URL('../clients/typescript/', import.meta.url));
rmSync(`${folder}dist`, { recursive: true, force: true });

const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const compiled = spawnSync(process.execPath, [tsc, '--project', folder], { stdio: 'inherit' });
if (compiled.status !== 0) process.exit(1);

// The compiler keeps .ts in the imports of declarations, which older compilers reject.
for (const file of globSync(`${folder}dist/**/*.d.ts`)) {
  writeFileSync(file, readFileSync(file, 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}

// For `require`: each entry point in one file, with declarations of its own kind.
const tools = await installNodeTools();
const entryPoints = ['index', 'signature', 'doctor/index', 'receipt', 'portal-client'];
const asCommonJs = spawnSync(
  `${tools}esbuild`,
  [
    ...entryPoints.map((name) => `${folder}${name}.ts`),
    ...[
      `--outdir=${folder}dist/cjs`,
      `--outbase=${folder}`,
      '--out-extension:.js=.cjs',
      '--bundle',
    ],
    ...['--sourcemap', '--platform=node', '--format=cjs', '--target=node20', '--log-level=warning'],
  ],
  { stdio: 'inherit' },
);
if (asCommonJs.status !== 0) process.exit(1);
for (const file of globSync(`${folder}dist/**/*.d.ts`)) {
  const target = file.replace('/dist/', '/dist/cjs/').replace(/\.d\.ts$/, '.d.cts');
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, readFileSync(file, 'utf8').replace(/(from '\.[^']*)\.js'/g, "$1.cjs'"));
}

// The bundled packages are CommonJS and require Node's built-in modules.
const banner = `#!/usr/bin/env node
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);`;
const bundled = spawnSync(
  `${tools}esbuild`,
  [
    ...[`${folder}cli.ts`, `--outfile=${folder}dist/cli.js`, '--bundle', '--sourcemap'],
    ...['--platform=node', '--format=esm', '--target=node22', '--log-level=warning'],
    `--banner:js=${banner}`,
  ],
  { stdio: 'inherit' },
);
if (bundled.status !== 0) process.exit(1);

if (process.env.npm_lifecycle_event !== 'prepack') {
  const packed = spawnSync('npm', ['pack', '--ignore-scripts', ...process.argv.slice(2)], {
    cwd: folder,
    stdio: 'inherit',
  });
  process.exitCode = packed.status ?? 1;
}
