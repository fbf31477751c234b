import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError, Option, program } from 'commander';
import { stopAllGuarded } from '../guarded.ts';
import { log } from '../log.ts';
import { leave, orderly, untilStopped } from '../until-stopped.ts';
import { against } from './load/against.ts';
import { burst } from './load/burst.ts';
import { openFloors } from './load/floors.ts';
import { historyOfOne } from './load/history.ts';
import { describeMachine } from './load/machine.ts';
import { sellByTwo, sellInBothModes, warmUp } from './load/orders.ts';
import { readAgain } from './load/reads.ts';
import { refundAndClaim } from './load/refunds.ts';
import { pageOf, sectionsOf } from './load/report.ts';
import type { Results } from './load/results.ts';
import { openScene, type Scene } from './load/scene.ts';
import { carriedOver } from './section.ts';

const partNames = ['orders', 'two', 'reads', 'burst', 'refunds'] as const;
type PartName = (typeof partNames)[number];

const count = (max: number) => (text: string) => {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
};

program
  .name('bench:load')
  .description(
    'Measures on fresh data what the service takes on, against the least that each thing can cost on this machine. A whole run takes some twenty minutes, and writes docs/performance.md.',
  )
  .option('--seconds <n>', 'how long each window lasts', count(600), 12)
  .option('--burst <n>', 'purchases in the burst', count(100_000), 10_000)
  .option(
    '--waiting <n>',
    'purchases that wait while refunds and claims are asked for',
    count(50_000),
    5_000,
  )
  .addOption(new Option('--only <parts...>', 'these parts alone; prints only').choices(partNames))
  .option('--quick', 'everything, short; prints only')
  .option('--against <commit>', 'this tree and another commit in turns; prints only')
  .parse();
const options = program.opts<{
  seconds: number;
  burst: number;
  waiting: number;
  only?: PartName[];
  quick?: true;
  against?: string;
}>();
const sizes = options.quick ? { seconds: 2, burst: 300, waiting: 300 } : options;
const forMs = sizes.seconds * 1_000;
/** What part of the refunds and claims a quick run asks for. */
const quickPart = 0.1;
const report = new URL('../../docs/performance.md', import.meta.url);

async function compare(commit: string): Promise<void> {
  const args = process.argv.slice(2);
  const at = args.findIndex((arg) => arg.startsWith('--against'));
  const rest = args.toSpliced(at, args[at] === '--against' ? 2 : 1);
  // Prints only: neither writes its page.
  const isWhole = !options.only && !options.quick;
  log(await against(commit, isWhole ? [...rest, '--only', ...partNames] : rest, log));
}

async function bench(): Promise<void> {
  const startedAt = new Date();
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-load-'));
  log(`Data and logs are in ${dataDir}, and stay there should this fail.`);
  const scene = await openScene(dataDir, log);
  const results = await measure(scene);
  log(`\n${sectionsOf(results)}`);
  if (!options.only && !options.quick) {
    const page = pageOf(results, await describeMachine(scene.stage), startedAt);
    await writeFile(report, carriedOver(await readFile(report, 'utf8'), page));
  }
  await scene.close();
  await stopAllGuarded();
  await rm(dataDir, { recursive: true, force: true });
}

async function measure(scene: Scene): Promise<Results> {
  log('Warming up …');
  await warmUp(scene, forMs / 2);
  const results: Results = { measured: [], sales: [] };
  results.history = await historyOfOne(scene);
  const floors = await openFloors(scene, forMs);
  const steps: Record<PartName, () => Promise<void>> = {
    async orders() {
      const { measured, sales } = await sellInBothModes(scene, floors, forMs);
      results.measured.push(...measured);
      results.sales.push(...sales);
    },
    async two() {
      results.sales.push(...(await sellByTwo(scene, forMs)));
    },
    async reads() {
      results.measured.push(...(await readAgain(scene, floors, forMs)));
    },
    async burst() {
      results.emptyWorkflowsPerSecond = await floors.timers();
      results.burst = await burst(scene, sizes.burst);
    },
    async refunds() {
      const { measured, ...moves } = await refundAndClaim(
        ...([scene, floors, sizes.waiting, options.quick && quickPart] as const),
      );
      results.measured.push(...measured);
      results.moves = moves;
    },
  };
  for (const name of partNames) {
    if (options.only && !options.only.includes(name)) continue;
    log(`Measuring: ${name} …`);
    await steps[name]();
  }
  floors.close();
  return results;
}

const { against: commit } = options;
await orderly(untilStopped(), commit === undefined ? bench : () => compare(commit), 130);
await leave(0);
