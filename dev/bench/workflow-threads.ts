import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { log } from '../log.ts';
import { stopAllProcesses } from '../managed-process.ts';
import { cpuMsOf, sell } from './load/purchases.ts';
import { setUpLoad } from './load/setup.ts';

/**
 * `npm run bench:threads`: the worker's CPU time per purchase in milliseconds, with lean workflow threads and
 * with those of the SDK (docs/decisions/013), in alternation. Only prints.
 */
const rounds = 4;
const sale = { mode: 'TEST', concurrency: 8 } as const;

const dataDir = await mkdtemp(join(tmpdir(), 'bench-threads-'));
const setup = await setUpLoad(dataDir, log);
const spent = { lean: 0, plain: 0 };
for (let round = 1; round <= rounds; round++) {
  for (const [name, WORKFLOW_STACKS] of [
    ['lean', 'off'],
    ['plain', 'on'],
  ] as const) {
    await setup.service.restartWorker({ WORKFLOW_STACKS });
    await sell(setup, { ...sale, name: 'warming up', atMost: 100 });
    const sold = await sell(setup, { ...sale, name: `${name}, round ${round}`, atMost: 400 });
    spent[name] += (cpuMsOf(sold, 'worker') ?? 0) / rounds;
  }
}
const saved = Math.round((1 - spent.lean / spent.plain) * 100);
log(
  `Lean ${spent.lean.toFixed(1)} ms of CPU time per purchase, plain ${spent.plain.toFixed(1)} ms: ${saved} % less.`,
);
await setup.close();
await stopAllProcesses();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
