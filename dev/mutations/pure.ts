import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { type Instrumented, type Mutant, trackedFiles } from './instrument.ts';
import type { Baseline, LoadedTest, TestRequest } from './run-in-memory.ts';
import type { Verdict } from './verdict.ts';

const script = 'dev/mutations/run-in-memory.ts';
const limitMs = 30_000;
/** A mutant that runs this many times more often than without it is in an endless loop. */
const loopFactor = 20;
/** What a pure test may import besides our own files and Node's. */
const purePackages = new Set([
  'ava',
  'fast-check',
  'libphonenumber-js',
  'libphonenumber-js/max',
  'luxon',
]);

/** A pure test file, with all our files that it imports, directly or not. */
export interface PureTest {
  file: string;
  imports: Set<string>;
}

/** The test files that need neither a server nor their own process. */
export async function findPureTests(folder: string): Promise<PureTest[]> {
  const files = (await trackedFiles()).filter((file) =>
    /^test\/(domain\/|clients\/typescript\/signature).*\.test\.ts$/.test(file),
  );
  const found: PureTest[] = [];
  for (const file of files) {
    const imports = new Set<string>();
    if (await isPure(folder, file, imports)) found.push({ file, imports });
  }
  return found;
}

async function isPure(folder: string, file: string, seen: Set<string>): Promise<boolean> {
  if (seen.has(file)) return true;
  seen.add(file);
  const source = await readFile(join(folder, file), 'utf8');
  for (const [, name = ''] of source.matchAll(/^(?!import type)[^\n]*?from '([^']+)'/gm)) {
    if (name.startsWith('.')) {
      if (!(await isPure(folder, normalize(join(dirname(file), name)), seen))) return false;
    } else if (!name.startsWith('node:') && !purePackages.has(name)) return false;
  }
  return true;
}

/** A process with the pure tests loaded. */
class InMemory {
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.child = child;
  }

  /** @returns null if the tests cannot be loaded */
  static async start(
    folder: string,
    files: readonly string[],
    mutant = '',
  ): Promise<{ memory: InMemory; loaded: LoadedTest[] } | null> {
    const paths = files.map((file) => join(folder, file));
    const env = { ...process.env, MUTANT: mutant };
    const stdio = mutant ? 'ignore' : 'inherit';
    const child = fork(join(folder, script), paths, {
      cwd: folder,
      env,
      stdio: ['ignore', stdio, stdio, 'ipc'],
    });
    const memory = new InMemory(child);
    const reply = (await memory.next(limitMs)) as { loaded: LoadedTest[] } | null;
    if (reply === null) await memory.stop();
    return reply && { memory, loaded: reply.loaded };
  }

  /** @returns null if the process exits or does not respond in time */
  async ask(asked: TestRequest, mostMs = limitMs): Promise<unknown> {
    const answered = this.next(mostMs);
    this.child.send(asked);
    return await answered;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await gone;
  }

  private next(mostMs: number): Promise<unknown> {
    return new Promise((resolve) => {
      const end = (answer: unknown) => {
        clearTimeout(timer);
        this.child.off('message', end).off('exit', gone);
        resolve(answer);
      };
      const gone = () => end(null);
      const timer = setTimeout(gone, mostMs);
      this.child.on('message', end).on('exit', gone);
    });
  }
}

/**
 * Judges mutants with the pure tests only. A mutant in code that runs while modules load gets its own
 * process; the others share one.
 */
export async function judgePure(
  { folder, mutants }: Instrumented,
  tests: readonly PureTest[],
  tell: (mutant: Mutant, verdict: Verdict) => void,
): Promise<void> {
  const files = tests.map(({ file }) => file);
  const first = await InMemory.start(folder, files);
  if (first === null) throw new Error('The pure tests cannot be loaded.');
  const { loaded } = first;
  let { memory } = first;
  try {
    const found = (await memory.ask({ ask: 'baseline' }, 10 * limitMs)) as Baseline | null;
    if (found === null) throw new Error('The pure tests did not end.');
    if (found.failed.length > 0) throw new Error(`Without a mutant: ${found.failed.join('; ')}`);
    const byTime = found.ms.map((ms, index) => ({ ms, index })).sort((a, b) => a.ms - b.ms);
    const byLoading = new Set(found.touchedByLoading);
    const hitsIn = (at: number, { id }: Mutant): number => found.touched[at]?.[id] ?? 0;
    for (const mutant of mutants) {
      if (byLoading.has(mutant.id)) {
        tell(mutant, await judgeAlone(mutant));
        continue;
      }
      const covering = byTime.map(({ index }) => index).filter((at) => hitsIn(at, mutant) > 0);
      if (covering.length === 0) {
        tell(mutant, { fate: 'untouched' });
        continue;
      }
      const hits = covering.reduce((sum, at) => sum + hitsIn(at, mutant), 0);
      const hitLimit = loopFactor * hits + 10_000;
      const { id } = mutant;
      const answer = await memory.ask({ ask: 'mutant', id, tests: covering, hitLimit });
      tell(mutant, verdictOf(answer));
      if (answer !== null) continue;
      await memory.stop();
      const next = await InMemory.start(folder, files);
      if (next === null) throw new Error('The pure tests cannot be loaded again.');
      memory = next.memory;
    }

    async function judgeAlone(mutant: Mutant): Promise<Verdict> {
      const importing = tests.filter(({ imports }) => imports.has(mutant.file));
      const started = await InMemory.start(
        folder,
        importing.map(({ file }) => file),
        mutant.id,
      );
      if (started === null) return { fate: 'killed', by: 'the tests do not load' };
      const slow = new Map(loaded.map(({ title }, at) => [title, found?.ms[at] ?? 0]));
      const order = started.loaded
        .map(({ title }, at) => ({ at, ms: slow.get(title) ?? 0 }))
        .sort((a, b) => a.ms - b.ms);
      const answer = await started.memory.ask({ ask: 'all', tests: order.map(({ at }) => at) });
      await started.memory.stop();
      return verdictOf(answer);
    }
  } finally {
    await memory.stop();
  }
}

function verdictOf(answer: unknown): Verdict {
  if (answer === null) return { fate: 'killed', by: 'timed out' };
  const { killedBy } = answer as { killedBy: string | null };
  return killedBy === null ? { fate: 'survived' } : { fate: 'killed', by: killedBy };
}
