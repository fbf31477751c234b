import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError, Option, program } from 'commander';
import { log } from '../log.ts';
import { stopAllProcesses } from '../managed-process.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from '../shutdown.ts';
import { burst } from './load/burst.ts';
import { compareWithCommit } from './load/compare-commits.ts';
import { openFloors } from './load/floors.ts';
import { measureHistory } from './load/history.ts';
import { describeMachine } from './load/machine.ts';
import { sellInBothModes, sellWithTwoWorkers, warmUp } from './load/orders.ts';
import { readAgain } from './load/reads.ts';
import { refundAndClaim } from './load/refunds.ts';
import { pageOf, sectionsOf } from './load/report.ts';
import { mergedOf, type Results } from './load/results.ts';
import { type LoadSetup, setUpLoad } from './load/setup.ts';
import { alternateWorkflows } from './load/workflows.ts';
import { carriedOver } from './section.ts';

const partNames = ['orders', 'two', 'reads', 'workflows', 'burst', 'refunds'] as const;
type PartName = (typeof partNames)[number];
type ByPart = Partial<Record<PartName, Results>>;

const count = (max: number) => (text: string) => {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new InvalidArgumentError(`It must be an integer from 1 to ${max}.`);
};

program
  .name('bench:load')
  .description(
    'Measures the throughput of the service on fresh data, compared with the minimum cost of each operation on this machine. A complete run takes about twenty minutes and writes docs/performance.md.',
  )
  .option('--seconds <n>', 'duration of each window', count(600), 12)
  .option('--burst <n>', 'purchases in the burst', count(100_000), 10_000)
  .option('--waiting <n>', 'purchases waiting during refunds and claims', count(50_000), 5_000)
  .addOption(
    new Option('--only <parts...>', 'measure only these parts, without writing the page').choices(
      partNames,
    ),
  )
  .option(
    '--results <file>',
    'store the results in this file; with --only, parts can be measured one by one, and the page is written once the file has all of them',
  )
  .option('--quick', 'measure everything briefly, without writing the page')
  .option(
    '--against <commit>',
    'alternate between this tree and another commit, without writing the page',
  )
  .parse();
const options = program.opts<{
  seconds: number;
  burst: number;
  waiting: number;
  only?: PartName[];
  results?: string;
  quick?: true;
  against?: string;
}>();
const sizes = options.quick ? { seconds: 2, burst: 300, waiting: 300 } : options;
const forMs = sizes.seconds * 1_000;
/** The share of refunds and claims that a quick run sends. */
const quickPart = 0.1;
/** The purchases of one round, as a share of the burst. */
const roundPart = 0.1;
const report = new URL('../../docs/performance.md', import.meta.url);

async function compare(commit: string): Promise<void> {
  const args = process.argv.slice(2);
  const at = args.findIndex((arg) => arg.startsWith('--against'));
  const rest = args.toSpliced(at, args[at] === '--against' ? 2 : 1);
  const only = rest.findIndex((arg) => arg.startsWith('--only'));
  const others = only === -1 ? rest : rest.toSpliced(only, 1 + (options.only?.length ?? 0));
  log(await compareWithCommit(commit, others, options.only ?? partNames, log));
}

async function bench(): Promise<void> {
  const startedAt = new Date();
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-load-'));
  log(`Data and logs are in ${dataDir}, and are kept if this fails.`);
  const setup = await setUpLoad(dataDir, log);
  const measured = await measure(setup);
  log(`\n${sectionsOf(mergedOf(Object.values(measured)))}`);
  const all = { ...(await earlierResults()), ...measured };
  if (options.results) await writeFile(options.results, JSON.stringify(all));
  const isWhole = options.results ? partNames.every((name) => all[name]) : !options.only;
  if (isWhole && !options.quick) {
    const results = mergedOf(partNames.flatMap((name) => all[name] ?? []));
    const page = pageOf(results, await describeMachine(setup.service), startedAt);
    await writeFile(report, carriedOver(await readFile(report, 'utf8'), page));
  }
  await setup.close();
  await stopAllProcesses();
  await rm(dataDir, { recursive: true, force: true });
}

async function earlierResults(): Promise<ByPart> {
  const { results } = options;
  return results && existsSync(results) ? JSON.parse(await readFile(results, 'utf8')) : {};
}

async function measure(setup: LoadSetup): Promise<ByPart> {
  log('Warming up …');
  await warmUp(setup, forMs / 2);
  const history = await measureHistory(setup);
  const floors = await openFloors(setup, forMs);
  const steps: Record<PartName, () => Promise<Partial<Results>>> = {
    orders: () => sellInBothModes(setup, floors, forMs),
    two: async () => ({ sales: await sellWithTwoWorkers(setup, forMs) }),
    reads: async () => ({ measured: await readAgain(setup, floors, forMs) }),
    workflows: async () => ({
      workflows: await alternateWorkflows(setup, forMs / 2, sizes.burst * roundPart),
    }),
    burst: async () => ({ burst: await burst(setup, sizes.burst) }),
    async refunds() {
      const { measured, ...moves } = await refundAndClaim(
        ...([setup, floors, sizes.waiting, options.quick && quickPart] as const),
      );
      return { measured, moves };
    },
  };
  const byPart: ByPart = {};
  for (const name of partNames) {
    if (options.only && !options.only.includes(name)) continue;
    log(`Measuring: ${name} …`);
    byPart[name] = { measured: [], sales: [], history, ...(await steps[name]()) };
  }
  floors.close();
  return byPart;
}

const { against: commit } = options;
await runUntilShutdown(
  shutdownRequested(),
  commit === undefined ? bench : () => compare(commit),
  130,
);
await shutDown(0);
