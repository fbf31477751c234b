import { readFile, writeFile } from 'node:fs/promises';
import { InvalidArgumentError, program } from 'commander';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import { explanationOf } from './mutations/explained.ts';
import { instrument, type Mutant } from './mutations/instrument.ts';
import { filesOf, type MutatedPart, mutatedParts, testsOf } from './mutations/parts.ts';
import { findPureTests, judgePure } from './mutations/pure.ts';
import { countsOf, type PartReport, withPart } from './mutations/report.ts';
import { sampleOf } from './mutations/sample.ts';
import type { Verdict } from './mutations/verdict.ts';
import { judgeWithServers } from './mutations/with-servers.ts';
import { runUntilShutdown, shutdownRequested } from './shutdown.ts';

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 1_000_000_000) return value;
  throw new InvalidArgumentError('It must be an integer from 1 on.');
}

program
  .name('prove:mutations')
  .description(
    'Changes the code in one place at a time, and lists the changes that no test notices. Writes docs/proofs/mutations.md for complete parts. Exits with 1 if an unexplained change was not noticed.',
  )
  .argument('[paths...]', `folders or files of ${mutatedParts.map(({ name }) => name).join(', ')}`)
  .option('--sample <n>', 'the most changes per part', count)
  .option('--seed <n>', 'seed of the sample', count, 1)
  .option(
    '--minutes <n>',
    'with servers, judge no further change of a part after this many minutes',
    count,
  )
  .option(
    '--tests <paths...>',
    'run only the test files below these paths, without writing the page',
  )
  .option('--no-report', 'do not write the page')
  .parse();
const { sample, minutes, seed, report, tests } = program.opts<{
  sample?: number;
  minutes?: number;
  seed: number;
  report: boolean;
  tests?: string[];
}>();
const page = new URL('../docs/proofs/mutations.md', import.meta.url);

async function proveMutations(): Promise<boolean> {
  let areAllNoticed = true;
  for (const part of mutatedParts) {
    const files = await filesOf(part, program.args);
    if (files.length === 0) continue;
    const found = await judge(part, files);
    const { survived, untouched } = logCounts(found);
    if (survived + untouched > 0) areAllNoticed = false;
    await writeToPage(found, part, files);
  }
  return areAllNoticed;
}

function logCounts(found: PartReport) {
  const counts = countsOf(found);
  const { killed, survived, untouched, excused, score } = counts;
  log(
    `${found.name}: ${(100 * score).toFixed(1)} %; ${killed} noticed, ${survived} survived, ${untouched} not reached, ${excused} explained`,
  );
  return counts;
}

/** Only a part judged completely, with all its tests, goes on the page. */
async function writeToPage(
  found: PartReport,
  part: MutatedPart,
  files: readonly string[],
): Promise<void> {
  if (!report || tests !== undefined || found.judged.length === 0) return;
  if (files.length !== (await filesOf(part, [])).length) return;
  const date = new Date().toISOString().slice(0, 10);
  const before = await readFile(page, 'utf8').catch(() => '');
  await writeFile(page, withPart(before, found, date, seed));
}

/** @param files of the part */
async function judge(part: MutatedPart, files: readonly string[]): Promise<PartReport> {
  const { folder, mutants: all } = await instrument(files);
  const mutants = sample === undefined ? all : sampleOf(all, sample, seed);
  log(`${part.name}: ${mutants.length} of ${all.length} changes`);
  const judged: PartReport['judged'] = [];
  const record = (mutant: Mutant, verdict: Verdict): void => {
    judged.push({ mutant, verdict });
    if (judged.length % 100 === 0) log(`  ${judged.length} of ${mutants.length}`);
    if (verdict.fate === 'killed' || explanationOf(mutant) !== undefined) return;
    const { file, line, was, becomes } = mutant;
    log(`  ${verdict.fate}: ${file}:${line}\n    ${was}\n    ${becomes}`);
  };
  const task = { folder, mutants };
  if (part.tests === null) {
    await judgePure(task, await findPureTests(folder), record);
  } else {
    const covering = (await testsOf(part)).filter(isAsked);
    const untilMs = Date.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000;
    await judgeWithServers(task, covering, record, () => Date.now() > untilMs);
  }
  const place = new Map(all.map(({ id }, index) => [id, index]));
  const placeOf = ({ mutant }: PartReport['judged'][number]) => place.get(mutant.id) ?? 0;
  judged.sort((one, other) => placeOf(one) - placeOf(other));
  return { name: part.name, total: all.length, judged };
}

function isAsked(file: string): boolean {
  return tests === undefined || tests.some((path) => file.startsWith(path));
}

const areAllNoticed = await runUntilShutdown(shutdownRequested(), proveMutations, 130);
await stopAllProcesses();
process.exit(areAllNoticed ? 0 : 1);
