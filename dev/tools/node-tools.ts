import { execFile } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { needed } from '../packages.ts';
import { installOnce } from './install-once.ts';

const run = promisify(execFile);
const wanted = new URL('clients/', import.meta.url);
const installed = new URL('../../.data/tools/clients/', import.meta.url);
const files = ['package.json', 'package-lock.json'] as const;

/**
 * Tools that check the clients: other runtimes, and programs that read a package or a reference. They are not
 * among the project's own packages, so that starting and testing it needs no download of them.
 * @returns the folder of their programs
 */
export async function installNodeTools(): Promise<string> {
  const lock = await readFile(new URL('package-lock.json', wanted), 'utf8');
  await installOnce(installed, lock, async () => {
    for (const file of files) await copyFile(new URL(file, wanted), new URL(file, installed));
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', ['ci', '--ignore-scripts', ...quiet], { cwd: installed });
    const scripts = ['rebuild', '--ignore-scripts=false', '--loglevel=error'];
    await run('npm', [...scripts, ...Object.keys(needed)], { cwd: installed });
  });
  return fileURLToPath(new URL('node_modules/.bin/', installed));
}
