import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Prints one line for the person at the terminal. */
export type Log = (line: string) => void;

/** A runnable server program. */
export interface Binary {
  path: string;
  /** The folder of additional libraries that it needs. */
  libraryDir?: string;
}

/** One source of a program. */
export interface Source {
  name: string;
  /** @returns undefined if the source does not have it; throws if it failed */
  find(): Promise<Binary | undefined>;
}

/** A program that hangs on `--version` is useless. */
const versionPatienceMs = 15_000;

/**
 * Tries the sources in order and returns the first program that runs; prints a line for each failed source.
 * @param advice for the error
 * @throws Error if no source has a working program
 */
export async function firstUsable(
  what: string,
  sources: Source[],
  log: Log,
  advice = 'Put one on the PATH, or name a running server with MONGODB_URI or TEMPORAL_ADDRESS.',
): Promise<Binary> {
  for (const source of sources) {
    try {
      const binary = await source.find();
      if (!binary) continue;
      const version = await versionOf(binary);
      log(`${what}: ${version}, from ${source.name}`);
      return binary;
    } catch (error) {
      log(`${what}: not from ${source.name} (${firstLine(error)})`);
    }
  }
  throw new Error(`No working ${what} was found. ${advice}`);
}

/**
 * The program for a data folder. A folder keeps the program that created it while that is available, because
 * another version might refuse the files.
 */
export async function binaryOfFolder(
  what: string,
  dataDir: string,
  sources: Source[],
  log: Log,
): Promise<Binary> {
  const choiceFile = join(dataDir, `${what}.json`);
  const lastStart: Source = {
    name: 'the last start',
    find: async () => await readFile(choiceFile, 'utf8').then(JSON.parse, () => undefined),
  };
  const binary = await firstUsable(what, [lastStart, ...sources], log);
  await writeFile(choiceFile, JSON.stringify(binary));
  return binary;
}

/** The environment to run a program in. */
export function environmentOf(binary: Binary): NodeJS.ProcessEnv {
  if (!binary.libraryDir) return process.env;
  return { ...process.env, LD_LIBRARY_PATH: binary.libraryDir };
}

/**
 * The first line of the program's version output.
 * @throws Error with the program's output if it does not run
 */
export async function versionOf(binary: Binary): Promise<string> {
  const { stdout } = await promisify(execFile)(binary.path, ['--version'], {
    env: environmentOf(binary),
    timeout: versionPatienceMs,
  });
  return stdout.split('\n')[0]?.trim() ?? '';
}

function firstLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  // A failed program's output says more than "Command failed".
  const stderr = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return (stderr || `${error.message}${cause}`).split('\n')[0] ?? '';
}
