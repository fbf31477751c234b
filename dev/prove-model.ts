import { writeFile } from 'node:fs/promises';
import { InvalidArgumentError, program } from 'commander';
import { log } from './log.ts';
import { compile } from './model/compile.ts';
import { faults } from './model/faults.ts';
import { parseModel } from './model/quint.ts';
import type { ModelState } from './model/state.ts';
import { invariants, transcriptOf } from './model/walk.ts';
import { walkAll } from './model/walk-all.ts';
import { table } from './table.ts';

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 1_000_000_000) return value;
  throw new InvalidArgumentError('It must be an integer from 1 on.');
}

program
  .name('prove:model')
  .description(
    'Walks randomly through the model of one order (dev/model/reward.qnt), some millions of steps, and checks the invariants after each. Then plants one mistake after another and checks that each is found. Exits with 1 if an invariant is broken, or a mistake is not found.',
  )
  .option('--minutes <n>', 'minutes to walk', count, 2)
  .option('--length <n>', 'steps per walk', count, 200)
  .option('--seed <n>', 'seed to start with (default: random)')
  .option(
    '--story <fault>',
    'print the walk of --seed step by step, with this mistake; NONE for the unchanged model',
  )
  .option('--no-faults', 'skip the mistakes')
  .option('--report <file>', 'write the report to this Markdown file')
  .parse();
const options = program.opts<{
  minutes: number;
  length: number;
  seed?: string;
  story?: string;
  faults: boolean;
  report?: string;
}>();

/** The most walks to spend on finding one mistake. */
const mostWalksForAFault = 20_000;
const progressEveryMs = 5_000;

async function proveModel(): Promise<boolean> {
  const seed = options.seed === undefined ? Date.now() % 1_000_000_000 : Number(options.seed);
  log('Reading the model (installs Quint the first time).');
  const module = await parseModel();
  const printWalk = (fault: string, from: number) =>
    log(transcriptOf(compile<ModelState>(module, { FAULT: fault }), from, options.length));
  if (options.story !== undefined) {
    printWalk(options.story, seed);
    return true;
  }
  log(`Walking for ${options.minutes} minutes from seed ${seed}: ${invariants.join(', ')}.`);
  let saidAt = Date.now();
  const until = saidAt + options.minutes * 60_000;
  const { length } = options;
  const walked = await walkAll(
    module,
    { fault: 'NONE', seed, length, most: Number.MAX_SAFE_INTEGER, until },
    ({ walks, steps }) => {
      if (Date.now() - saidAt < progressEveryMs) return;
      saidAt = Date.now();
      const leftS = Math.max(0, Math.round((until - saidAt) / 1_000));
      log(
        `  ${inWords(steps)} steps in ${inWords(walks)} walks, no invariant broken; ${leftS} s left`,
      );
    },
  );
  if (walked.broken !== null) {
    log(`BROKEN: ${walked.broken.broken}, in the walk with seed ${walked.broken.seed}:`);
    printWalk('NONE', walked.broken.seed);
    return false;
  }
  log(`${inWords(walked.steps)} steps in ${inWords(walked.walks)} walks: no invariant is broken.`);
  const found = options.faults ? await findFaults() : [];
  if (options.report) await writeFile(options.report, reportOf(walked, seed, found));
  return found.every(({ steps }) => steps !== null);

  async function findFaults(): Promise<DetectedFault[]> {
    log(`Looking for ${faults.length} mistakes:`);
    const all: DetectedFault[] = [];
    for (const { name, words, seed: known } of faults) {
      // Starts where it is known to do harm, so that a rare one is always found.
      const task = { fault: name, seed: known, length, most: mostWalksForAFault, until: Infinity };
      const { broken, steps } = await walkAll(module, task);
      all.push({ words, invariant: broken?.broken ?? '', steps: broken && steps });
      const found = broken
        ? `found by "${broken.broken}" after ${inWords(steps)} steps (seed ${broken.seed})`
        : `NOT FOUND in ${inWords(steps)} steps`;
      log(`  ${name}: ${words}: ${found}`);
    }
    return all;
  }
}

/** A planted mistake. */
interface DetectedFault {
  words: string;
  /** The invariant that it broke. */
  invariant: string;
  /** The steps until then; null if it was not found. */
  steps: number | null;
}

function reportOf(
  { steps, walks }: { steps: number; walks: number },
  seed: number,
  found: readonly DetectedFault[],
): string {
  const rows = found.map((one) => [
    one.words,
    one.steps === null ? 'NOT FOUND' : one.invariant,
    one.steps === null ? '' : inWords(one.steps),
  ]);
  return `# The model of one order

\`npm run prove:model\` walks randomly through [the model](../../dev/model/reward.qnt) of one order's reward: two API processes,
its workflow, the wallet, the sweep and the customer, any of which may crash between any two writes. After each step it checks
the [invariants](../decisions/022-several-writers.md). Then it plants one mistake after another and checks that it is found.

Run on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node}, from seed ${seed}: **${inWords(steps)} steps in ${inWords(walks)} walks, and no
invariant was broken.**

${table(['planted mistake', 'broken invariant', 'steps'], rows)}

A random walk proves nothing: it shows that no step of these walks broke an invariant, and that mistakes of these kinds would
have been noticed.
`;
}

const inWords = (value: number): string => value.toLocaleString('en');

process.exitCode = (await proveModel()) ? 0 : 1;
