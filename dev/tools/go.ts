import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { log } from '../log.ts';
import { userCacheDir } from '../servers/programs.ts';
import { installOnce } from './install-once.ts';

const run = promisify(execFile);
/** In an image, there may be no C library. */
const settings = { CGO_ENABLED: '0' };

/**
 * Runs Go in a folder.
 * @returns its output
 * @throws Error without Go
 */
export async function goIn(folder: URL, args: readonly string[]): Promise<string> {
  const cwd = fileURLToPath(folder);
  const env = { ...process.env, ...settings };
  try {
    const { stdout } = await run('go', [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('Go is missing. Install it from go.dev or your system’s packages.');
  }
}

/** Where programs are built, with their go.mod. */
const folderOf = (name: string): URL => pathToFileURL(`${userCacheDir(process.env)}/go/${name}/`);

/**
 * Builds programs of published modules in a folder of their own, unless an earlier run has.
 * @param wanted identifies them: other ones are built again
 * @param build gets a way to run Go in the folder, which has an empty module
 * @returns the folder
 * @throws Error without Go
 */
export async function buildOnce(
  name: string,
  wanted: string,
  build: (go: (...args: string[]) => Promise<string>, folder: string) => Promise<void>,
): Promise<string> {
  const folder = folderOf(name);
  await installOnce(folder, wanted, async () => {
    log(`building ${wanted}`);
    await rm(new URL('go.mod', folder), { force: true });
    const go = (...args: string[]) => goIn(folder, args);
    await go('mod', 'init', 'program');
    await build(go, fileURLToPath(folder));
  });
  return fileURLToPath(folder);
}

interface GoProgram {
  module: string;
  program: string;
  version: string;
  /** Of its linker. */
  flags?: string;
  /** Of its build. */
  tags?: string;
}

/** Builds a program of a published module, unless an earlier run has. @returns its file @throws Error without Go */
export async function goProgram(name: string, from: GoProgram): Promise<string> {
  const { module, program, version, flags = '', tags = '' } = from;
  const what = `${module}/${program}`;
  const folder = await buildOnce(name, `${what}@${version}`, async (go, into) => {
    await go('get', `${what}@${version}`);
    const how = ['-tags', tags, '-ldflags', `-s -w ${flags}`];
    await go('build', ...how, '-o', join(into, name), what);
  });
  return join(folder, name);
}

/** @returns the source of a module of which a program was built */
export async function sourceOf(program: string, module: string): Promise<string> {
  return (await goIn(folderOf(program), ['list', '-m', '-f', '{{.Dir}}', module])).trim();
}
