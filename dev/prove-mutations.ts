import { readFile, writeFile } from 'node:fs/promises';
import { InvalidArgumentError, program } from 'commander';
import { roundRobin } from '../domain/round-robin.ts';
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
  .option('--minutes <n>', 'with servers, judge no further change after this many minutes', count)
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

/** What to judge of a part. */
interface RequestedPart {
  part: MutatedPart;
  files: string[];
}

async function proveMutations(): Promise<boolean> {
  const requested: RequestedPart[] = [];
  for (const part of mutatedParts) {
    const files = await filesOf(part, program.args);
    if (files.length > 0) requested.push({ part, files });
  }
  const withServers = requested.filter(({ part }) => part.tests !== null);
  const pure = requested.filter(({ part }) => part.tests === null).map((one) => [one]);
  let areAllNoticed = true;
  // Parts that need servers share them, and the knowledge of which tests reach which changes.
  for (const together of [...pure, withServers]) {
    if (together.length === 0) continue;
    for (const found of await judge(together)) {
      const { survived, untouched } = logCounts(found);
      if (survived + untouched > 0) areAllNoticed = false;
      await writeToPage(found, together);
    }
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
async function writeToPage(found: PartReport, requested: readonly RequestedPart[]): Promise<void> {
  const one = requested.find(({ part }) => part.name === found.name);
  if (!one || !report || tests !== undefined || found.judged.length === 0) return;
  if (one.files.length !== (await filesOf(one.part, [])).length) return;
  const date = new Date().toISOString().slice(0, 10);
  const before = await readFile(page, 'utf8').catch(() => '');
  await writeFile(page, withPart(before, found, date, seed));
}

/** Judges parts whose tests run in the same way. */
async function judge(requested: readonly RequestedPart[]): Promise<PartReport[]> {
  const { folder, mutants } = await instrument(requested.flatMap(({ files }) => files));
  const chosen: Mutant[][] = [];
  const reports = requested.map(({ part }) => {
    const own = mutants.filter(({ file }) => part.holds(file));
    const sampled = sample === undefined ? own : sampleOf(own, sample, seed);
    chosen.push(sampled);
    log(`${part.name}: ${sampled.length} of ${own.length} changes`);
    const judged: PartReport['judged'] = [];
    return { part, name: part.name, total: own.length, judged };
  });
  let count = 0;
  const record = (mutant: Mutant, verdict: Verdict): void => {
    reports.find(({ part }) => part.holds(mutant.file))?.judged.push({ mutant, verdict });
    count += 1;
    if (count % 100 === 0) log(`  ${count} of ${chosen.flat().length}`);
    if (verdict.fate === 'killed' || explanationOf(mutant) !== undefined) return;
    const { file, line, was, becomes } = mutant;
    log(`  ${verdict.fate}: ${file}:${line}\n    ${was}\n    ${becomes}`);
  };
  // In turns, so that every part has its share when the time is up.
  const task = { folder, mutants: roundRobin(chosen, mutants.length) };
  const [{ part } = { part: mutatedParts[0] }] = requested;
  if (part === undefined || part.tests === null) {
    await judgePure(task, await findPureTests(folder), record);
  } else {
    const files = (await testsOf(part)).filter(isAsked);
    const untilMs = Date.now() + (minutes ?? Number.POSITIVE_INFINITY) * 60_000;
    await judgeWithServers(task, files, record, () => Date.now() > untilMs);
  }
  const place = new Map(mutants.map(({ id }, index) => [id, index]));
  const placeOf = ({ mutant }: PartReport['judged'][number]) => place.get(mutant.id) ?? 0;
  for (const { judged } of reports) judged.sort((one, other) => placeOf(one) - placeOf(other));
  return reports;
}

function isAsked(file: string): boolean {
  return tests === undefined || tests.some((path) => file.startsWith(path));
}

const areAllNoticed = await runUntilShutdown(shutdownRequested(), proveMutations, 130);
await stopAllProcesses();
process.exit(areAllNoticed ? 0 : 1);
