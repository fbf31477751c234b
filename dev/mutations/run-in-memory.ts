import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { KeptTest } from './ava-in-memory.ts';

/**
 * `node run-in-memory.ts <test file>…`: a process that loads pure tests and, for a given mutant, runs the
 * tests that reach it until one fails. It responds to its parent, which kills it after a timeout.
 */

/** Read by the switches in the instrumented code. */
interface MutantSwitches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  /** How often the active mutant has run, and its limit, beyond which it throws. */
  hitCount?: number;
  hitLimit?: number;
  mutantCoverage?: {
    static: Record<string, number>;
    perTest: Record<string, Record<string, number>>;
  };
}

export type TestRequest =
  | { ask: 'baseline' }
  | { ask: 'mutant'; id: string; tests: number[]; hitLimit: number }
  | { ask: 'all'; tests: number[] };

export interface LoadedTest {
  file: string;
  title: string;
}

export interface Baseline {
  /** The duration of each test, in milliseconds. */
  ms: number[];
  failed: string[];
  /** By test: how often it runs each mutant. */
  touched: Record<string, number>[];
  /** Mutants that run while modules load. */
  touchedByLoading: string[];
}

const avaInMemory = new URL('./ava-in-memory.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'ava' ? { url: avaInMemory, shortCircuit: true } : next(specifier, context),
});

const { kept }: { kept: KeptTest[] } = await import(avaInMemory);
const switches: MutantSwitches = {};
Object.assign(globalThis, { __stryker__: switches });
if (process.env.MUTANT) switches.activeMutant = process.env.MUTANT;

const loaded: LoadedTest[] = [];
for (const file of process.argv.slice(2)) {
  await import(pathToFileURL(file).href);
  for (const { title } of kept.slice(loaded.length)) loaded.push({ file, title });
}

async function isPassing(test: KeptTest | undefined): Promise<boolean> {
  try {
    await test?.run();
    return true;
  } catch (error) {
    if (process.env.MUTATIONS_VERBOSE) process.stderr.write(`${test?.title}: ${error}\n`);
    return false;
  }
}

async function baseline(): Promise<Baseline> {
  const found: Baseline = {
    ms: [],
    failed: [],
    touched: [],
    touchedByLoading: Object.keys(switches.mutantCoverage?.static ?? {}),
  };
  for (const [index, test] of kept.entries()) {
    switches.currentTestId = String(index);
    const from = performance.now();
    if (!(await isPassing(test))) found.failed.push(test.title);
    found.ms.push(performance.now() - from);
    found.touched.push(switches.mutantCoverage?.perTest[index] ?? {});
  }
  switches.currentTestId = undefined;
  return found;
}

/** The title of the first failing test; null if none fails. */
async function firstFailed(tests: readonly number[]): Promise<string | null> {
  for (const index of tests) if (!(await isPassing(kept[index]))) return kept[index]?.title ?? '';
  return null;
}

process.on('message', async (request: TestRequest) => {
  if (request.ask === 'baseline') return process.send?.(await baseline());
  if (request.ask === 'mutant') {
    switches.activeMutant = request.id;
    switches.hitCount = 0;
    switches.hitLimit = request.hitLimit;
  }
  process.send?.({ killedBy: await firstFailed(request.tests) });
});
process.send?.({ loaded });
