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
  /** Relative to the repository's root. */
  file: string;
  /** In the original file, starting at 1. */
  line: number;
  /** The kind of change, in Stryker's terms. */
  kind: string;
  /** The changed lines before and after, joined and truncated. */
  was: string;
  becomes: string;
}

/** A copy of the repository that contains every mutant, each behind a switch. */
export interface Instrumented {
  folder: string;
  mutants: Mutant[];
}

interface StrykerMutant {
  id: string;
  fileName: string;
  mutatorName: string;
  replacement: string;
  /** Set if this kind of mutant is ignored. */
  status?: string;
  /** Lines and columns start at 0. */
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
}

/**
 * Copies the repository, including uncommitted files, and adds every mutant to the copy. Changed texts are
 * left out: most are messages, and a test that repeats a message proves nothing. The copy is deleted with
 * this process.
 * @param files to mutate, relative to the repository's root
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

/** All files of the repository except those ignored by git. */
export async function trackedFiles(): Promise<string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await run('git', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const deleted = await run('git', ['ls-files', '-z', '--deleted'], { cwd: root });
  const deletedFiles = new Set(deleted.stdout.split('\0'));
  return stdout.split('\0').filter((file) => file !== '' && !deletedFiles.has(file));
}

interface Instrumenter {
  instrument(
    files: { name: string; content: string; mutate: boolean }[],
    options: object,
  ): Promise<{ files: { name: string; content: string }[]; mutants: StrykerMutant[] }>;
}

/** Stryker's instrumenter, installed from its own lockfile on first use. */
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
    debug: silent,
    info: silent,
    warn: silent,
    error: silent,
    trace: silent,
    fatal: silent,
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
