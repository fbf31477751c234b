import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Tells the person at the terminal one line. */
export type Log = (line: string) => void;

/** A server program that can be run. */
export interface Binary {
  path: string;
  /** Folder of the libraries it needs beside the system's own. */
  libraryDir?: string;
}

/** One place a program may come from. */
export interface Source {
  name: string;
  /** @returns undefined where this place simply does not have it; throws when it failed */
  find(): Promise<Binary | undefined>;
}

/** A program that hangs on `--version` is as useless as none. */
const versionPatienceMs = 15_000;

/**
 * Goes through the places in order and takes the first program that really runs; each place that
 * failed says so in one line.
 * @param advice what to do where there is none
 * @throws Error when no place has one
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
  throw new Error(`No ${what} was found that runs. ${advice}`);
}

/**
 * The program for a data folder. A folder stays with the program that made it while that one is
 * there: another place may hold another version, which might refuse the files.
 */
export async function binaryOfFolder(
  what: string,
  dataDir: string,
  sources: Source[],
  log: Log,
): Promise<Binary> {
  const note = join(dataDir, `${what}.json`);
  const lastStart: Source = {
    name: 'the last start',
    find: async () => await readFile(note, 'utf8').then(JSON.parse, () => undefined),
  };
  const binary = await firstUsable(what, [lastStart, ...sources], log);
  await writeFile(note, JSON.stringify(binary));
  return binary;
}

/** The environment a program runs in. */
export function environmentOf(binary: Binary): NodeJS.ProcessEnv {
  if (!binary.libraryDir) return process.env;
  return { ...process.env, LD_LIBRARY_PATH: binary.libraryDir };
}

/**
 * The first line that the program says about itself.
 * @throws Error when it does not run; the message holds what it said
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
  // A failed program carries what it said; that tells more than "Command failed".
  const said = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr.trim() : '';
  return (said || `${error.message}${cause}`).split('\n')[0] ?? '';
}
