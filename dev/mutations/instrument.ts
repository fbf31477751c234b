import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { throwawayFolder } from '../test/throwaway-folder.ts';
import { installOnce } from '../tools/install-once.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const wanted = fileURLToPath(new URL('instrumenter/', import.meta.url));
const installed = join(root, 'node_modules/.cache/instrumenter/');

/** A change of the code that a test should notice. */
export interface Mutant {
  id: string;
  /** From the top of the repository. */
  file: string;
  /** In the file as it is written, counted from 1. */
  line: number;
  /** What kind of change, in Stryker's words. */
  kind: string;
  /** The code on the lines that it changes, before and after, on one line and cut short. */
  was: string;
  becomes: string;
}

/** A copy of the repository that holds every mutant, each behind a switch. */
export interface Instrumented {
  folder: string;
  mutants: Mutant[];
}

interface StrykerMutant {
  id: string;
  fileName: string;
  mutatorName: string;
  replacement: string;
  /** Ignored where its kind is left out. */
  status?: string;
  /** Lines and columns are counted from 0. */
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
}

/**
 * Copies the repository, its uncommitted files included, and puts every mutant into the copy. Changed
 * texts are left out: most are messages, and a test that repeats a message proves nothing. The copy goes with this process.
 * @param files what is mutated, from the top of the repository
 */
export async function instrument(files: readonly string[]): Promise<Instrumented> {
  const folder = await mkdtemp(join(throwawayFolder(), 'mutants-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const file of await trackedFiles()) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(root, file), join(folder, file));
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const instrumenter = await loadInstrumenter();
  const sources = await Promise.all(
    files.map(async (name) => ({
      name,
      content: await readFile(join(root, name), 'utf8'),
      mutate: true,
    })),
  );
  const options = { plugins: null, excludedMutations: ['StringLiteral'], ignorers: [] };
  const { files: written, mutants } = await instrumenter.instrument(sources, options);
  for (const { name, content } of written) await writeFile(join(folder, name), content);
  const contents = new Map(sources.map(({ name, content }) => [name, content]));
  const described = mutants
    .filter(({ status }) => status !== 'Ignored')
    .map((mutant) => describe(mutant, contents.get(mutant.fileName) ?? ''));
  return { folder, mutants: described };
}

/** Every file of the repository but those that git ignores. */
export async function trackedFiles(): Promise<string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await run('git', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const deleted = await run('git', ['ls-files', '-z', '--deleted'], { cwd: root });
  const gone = new Set(deleted.stdout.split('\0'));
  return stdout.split('\0').filter((file) => file !== '' && !gone.has(file));
}

interface Instrumenter {
  instrument(
    files: { name: string; content: string; mutate: boolean }[],
    options: object,
  ): Promise<{ files: { name: string; content: string }[]; mutants: StrykerMutant[] }>;
}

/** Stryker's instrumenter, installed by its own lockfile the first time that it is asked for. */
async function loadInstrumenter(): Promise<Instrumenter> {
  const lock = await readFile(join(wanted, 'package-lock.json'), 'utf8');
  await installOnce(pathToFileURL(installed), lock, async () => {
    for (const name of ['package.json', 'package-lock.json']) {
      await cp(join(wanted, name), join(installed, name));
    }
    const quiet = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await run('npm', quiet, { cwd: installed });
  });
  const load = (path: string) => import(pathToFileURL(join(installed, 'node_modules', path)).href);
  const { createInjector } = await load('typed-inject/dist/src/index.js');
  const { createInstrumenter } = await load('@stryker-mutator/instrumenter/dist/src/index.js');
  const silent = () => undefined;
  const logger = {
    ...{ debug: silent, info: silent, warn: silent, error: silent, trace: silent, fatal: silent },
    isDebugEnabled: () => false,
  };
  return createInjector().provideValue('logger', logger).injectFunction(createInstrumenter);
}

function describe(
  { id, fileName, mutatorName, replacement, location }: StrykerMutant,
  content: string,
): Mutant {
  const { start, end } = location;
  const lines = content.split('\n');
  const before = lines[start.line]?.slice(0, start.column) ?? '';
  const after = lines[end.line]?.slice(end.column) ?? '';
  const was = lines.slice(start.line, end.line + 1).join(' ');
  return {
    id,
    file: fileName,
    line: start.line + 1,
    kind: mutatorName,
    was: inShort(was),
    becomes: inShort(before + replacement + after),
  };
}

const mostLetters = 160;

function inShort(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim();
  return line.length <= mostLetters ? line : `${line.slice(0, mostLetters - 1)}…`;
}
