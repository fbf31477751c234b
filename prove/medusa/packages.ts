import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { installOnce } from '../../dev/tools/install-once.ts';
import { projectFolder } from '../support/processes.ts';

const run = promisify(execFile);
const maxBuffer = 64 * 1024 * 1024;
const here = fileURLToPath(new URL('.', import.meta.url));

export interface PackedShop {
  folder: string;
  /** Medusa's command. */
  medusa: string;
  remove(): Promise<void>;
}

/**
 * Medusa, installed once for all proofs, and below it a folder for this one: the test shop, with the client and the plug-in
 * as they are published.
 */
export async function prepareShop(cacheDir: string): Promise<PackedShop> {
  const cached = join(cacheDir, 'medusa');
  const wanted = await readFile(join(here, 'packages.json'), 'utf8');
  await installOnce(pathToFileURL(`${cached}/`), wanted, async () => {
    await writeFile(join(cached, 'package.json'), wanted);
    const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
    await run('npm', ['install', ...quiet], { cwd: cached, maxBuffer });
  });
  await mkdir(join(cached, 'runs'), { recursive: true });
  const own = await mkdtemp(join(cached, 'runs', 'run-'));
  const medusa = join(cached, 'node_modules/@medusajs/cli/cli.js');

  const client = ['dev/make-client.ts', '--pack-destination', own];
  await run(process.execPath, client, { cwd: projectFolder, maxBuffer });
  await unpack(own, 'partner-events');
  const plugin = join(own, 'plugin');
  await cp(join(projectFolder, 'clients/medusa'), plugin, {
    recursive: true,
    filter: (path) => !/[/\\](node_modules|\.medusa)$/.test(path),
  });
  const env = { ...process.env, NODE_ENV: 'production', MEDUSA_DISABLE_TELEMETRY: 'true' };
  const build = [medusa, 'plugin:build'];
  const { stdout, stderr } = await run(process.execPath, build, {
    cwd: plugin,
    env,
    maxBuffer,
  }).catch((error) => {
    throw new Error(`The plug-in does not compile:\n${error.stdout}${error.stderr}`);
  });
  if (/^\s+at /m.test(stdout + stderr)) {
    throw new Error(`The build complains:\n${stdout}${stderr}`);
  }
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', own], { cwd: plugin });
  await unpack(own, 'medusa-plugin-partner-events');
  await cp(join(here, 'shop'), join(own, 'shop'), { recursive: true });
  return { folder: own, medusa, remove: () => rm(own, { recursive: true }) };
}

/** Installs a package that `npm pack` has written into the folder. */
async function unpack(folder: string, name: string): Promise<void> {
  const into = join(folder, 'node_modules', name);
  const [file = ''] = globSync(join(folder, `${name}-*.tgz`));
  await mkdir(into, { recursive: true });
  await run('tar', ['-xzf', file, '--strip-components=1', '-C', into]);
}
