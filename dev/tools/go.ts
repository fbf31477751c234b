import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installOnce } from './install-once.ts';

const run = promisify(execFile);
const programs = new URL('../../.data/tools/go/', import.meta.url);

/**
 * Builds a Go program, unless it was built from the same sources before.
 * @param module the folder of its go.mod, with a trailing slash
 * @param name of the program
 * @param what the package within the module or its dependencies
 * @param settings changes to the environment
 * @returns the program
 * @throws Error without Go
 */
export async function buildGo(
  module: URL,
  name: string,
  what = '.',
  settings: NodeJS.ProcessEnv = {},
): Promise<string> {
  const folder = new URL(`${name}/`, programs);
  const program = fileURLToPath(new URL(name, folder));
  await installOnce(folder, await hashOf(module), async () => {
    const build = ['build', '-o', program, what];
    await goIn(module, build, settings);
  });
  return program;
}

/**
 * Runs Go in a folder.
 * @param settings changes to the environment
 * @returns its output
 */
export async function goIn(
  module: URL,
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
): Promise<string> {
  const cwd = fileURLToPath(module);
  const env = { ...process.env, ...settings };
  try {
    const { stdout } = await run('go', [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('Go is missing. Install it from go.dev or your system’s packages.');
  }
}

async function hashOf(module: URL): Promise<string> {
  const files = (await readdir(module)).filter((file) => /\.(go|mod|sum)$/.test(file));
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(await readFile(new URL(file, module)));
  return hash.digest('hex');
}
