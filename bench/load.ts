import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError, Option, program } from 'commander';
import { leave, orderly, untilStopped } from '../dev/until-stopped.ts';
import { measureFloors } from './load/floors.ts';
import { describeMachine } from './load/machine.ts';
import * as parts from './load/parts.ts';
import { pageOf, sectionsOf } from './load/report.ts';
import type { Results } from './load/results.ts';
import { openScene, type Scene } from './load/scene.ts';

const log = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const partNames = [
  'floors',
  'test',
  'live',
  'two',
  'replays',
  'reads',
  'burst',
  'refunds',
] as const;
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
  .option('--waiting <n>', 'purchases that wait while refunds are asked for', count(50_000), 5_000)
  .addOption(new Option('--only <parts...>', 'these parts alone; prints only').choices(partNames))
  .option('--quick', 'everything, short; prints only')
  .parse();
const options = program.opts<{
  seconds: number;
  burst: number;
  waiting: number;
  only?: PartName[];
  quick?: true;
}>();
const sizes = options.quick ? { seconds: 2, burst: 300, waiting: 300 } : options;
const forMs = sizes.seconds * 1_000;
const report = new URL('../docs/performance.md', import.meta.url);

async function bench(): Promise<void> {
  const startedAt = new Date();
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-load-'));
  log(`Data and logs are in ${dataDir}, and stay there should this fail.`);
  const scene = await openScene(dataDir, log);
  const results = await measure(scene);
  log(`\n${sectionsOf(results)}`);
  if (!options.only && !options.quick) {
    await writeFile(report, pageOf(results, await describeMachine(scene.stage), startedAt));
  }
  await scene.close();
  await rm(dataDir, { recursive: true, force: true });
}

async function measure(scene: Scene): Promise<Results> {
  const results: Results = { sales: [], reads: [] };
  const steps: Record<PartName, () => Promise<unknown>> = {
    floors: async () => {
      results.floors = await measureFloors(scene, forMs);
    },
    test: async () => results.sales.push(...(await parts.sellInTest(scene, forMs))),
    live: async () => results.sales.push(...(await parts.sellLive(scene, forMs))),
    two: async () => results.sales.push(...(await parts.sellLiveByTwo(scene, forMs))),
    replays: async () => {
      results.replays = await parts.replay(scene, forMs);
    },
    reads: async () => {
      results.reads = await parts.read(scene, forMs);
    },
    burst: async () => {
      results.burst = await parts.burst(scene, sizes.burst);
    },
    refunds: async () => {
      results.refunds = await parts.refund(scene, sizes.waiting, forMs);
    },
  };
  log('Warming up …');
  await parts.warmUp(scene, forMs / 2);
  results.history = await parts.historyOfOne(scene);
  for (const name of partNames) {
    if (options.only && !options.only.includes(name)) continue;
    log(`Measuring: ${name} …`);
    await steps[name]();
  }
  return results;
}

await orderly(untilStopped(), bench, 130);
await leave(0);
