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
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
}

program
  .name('prove:mutations')
  .description(
    'Changes the code in one place at a time, and shows which changes no test notices. Writes docs/proofs/mutations.md where a whole part was asked for. Exits 1 when a change was not noticed that is not explained.',
  )
  .argument('[paths...]', `folders or files of ${mutatedParts.map(({ name }) => name).join(', ')}`)
  .option('--sample <n>', 'so many changes of each part at most', count)
  .option('--seed <n>', 'which ones', count, 1)
  .option('--tests <paths...>', 'ask only the test files below these; the page stays as it is')
  .option('--no-report', 'leave the page as it is')
  .parse();
const { sample, seed, report, tests } = program.opts<{
  sample?: number;
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
    const { killed, survived, untouched, excused, score } = countsOf(found);
    log(
      `${part.name}: ${(100 * score).toFixed(1)} %; ${killed} noticed, ${survived} survived, ${untouched} not reached, ${excused} explained`,
    );
    if (survived + untouched > 0) areAllNoticed = false;
    const isWhole = files.length === (await filesOf(part, [])).length;
    if (report && isWhole && tests === undefined) {
      const date = new Date().toISOString().slice(0, 10);
      const before = await readFile(page, 'utf8').catch(() => '');
      await writeFile(page, withPart(before, found, date, seed));
    }
  }
  return areAllNoticed;
}

async function judge(part: MutatedPart, files: readonly string[]): Promise<PartReport> {
  const { folder, mutants } = await instrument(files);
  const chosen = sample === undefined ? mutants : sampleOf(mutants, sample, seed);
  log(`${part.name}: ${chosen.length} of ${mutants.length} changes`);
  const judged: PartReport['judged'] = [];
  const tell = (mutant: Mutant, verdict: Verdict): void => {
    judged.push({ mutant, verdict });
    if (judged.length % 100 === 0) log(`  ${judged.length} of ${chosen.length}`);
    if (verdict.fate === 'killed' || explanationOf(mutant) !== undefined) return;
    const { file, line, was, becomes } = mutant;
    log(`  ${verdict.fate}: ${file}:${line}\n    ${was}\n    ${becomes}`);
  };
  const task = { folder, mutants: chosen };
  if (part.asks === null) await judgePure(task, await findPureTests(folder), tell);
  else await judgeWithServers(task, (await testsOf(part)).filter(isAsked), tell);
  return { name: part.name, total: mutants.length, judged };
}

function isAsked(file: string): boolean {
  return tests === undefined || tests.some((path) => file.startsWith(path));
}

const areAllNoticed = await runUntilShutdown(shutdownRequested(), proveMutations, 130);
await stopAllProcesses();
process.exit(areAllNoticed ? 0 : 1);
