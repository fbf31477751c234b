import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Argument, InvalidArgumentError, program } from 'commander';
import { log } from '../dev/log.ts';
import { stopAllProcesses } from '../dev/managed-process.ts';
import { runUntilShutdown, shutDown, shutdownRequested } from '../dev/shutdown.ts';
import { markdownTable } from '../dev/table.ts';
import { benchDay } from './bench/day.ts';
import { type BenchTable, figure } from './bench/figures.ts';
import { type Bench, openBench } from './bench/harness.ts';
import { benchPages } from './bench/pages.ts';
import { benchPurchases } from './bench/purchases.ts';
import { benchRefunds } from './bench/refunds.ts';
import { benchScale } from './bench/scale.ts';
import { benchWebhooks } from './bench/webhooks.ts';

/** `npm run bench -- <what>`: each part on servers of its own, with fresh data, audited at the end. */
const parts: Record<string, (bench: Bench) => Promise<BenchTable[]>> = {
  day: benchDay,
  purchases: benchPurchases,
  refunds: benchRefunds,
  webhooks: benchWebhooks,
  pages: benchPages,
  scale: benchScale,
};

program
  .name('bench')
  .description(
    'Measures the service beside the least that its machine needs for the same, and audits the ledger afterwards.',
  )
  .addArgument(new Argument('<what>', 'what to measure').choices(Object.keys(parts)))
  .option('--json <file>', 'also write the results to this file')
  .option('--quick', 'a smoke run: a tenth of everything, once')
  .option('--waiting <n>', 'purchases that wait while another partner buys', count, 6_000)
  .option('--records <n>', 'purchases that pages and scale are measured with', count, 100_000)
  .parse();
const options = program.opts<{ json?: string; quick?: true; waiting: number; records: number }>();
const [what = ''] = program.args;

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 1_000_000) return value;
  throw new InvalidArgumentError('It must be an integer from 1 to 1,000,000.');
}

async function measure(): Promise<void> {
  const startedAt = new Date();
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  log(`Data and logs are in ${dataDir}, and are kept if this fails.`);
  const isQuick = options.quick ?? false;
  const bench = await openBench(dataDir, {
    isQuick,
    waiting: isQuick ? 300 : options.waiting,
    records: isQuick ? 1_000 : options.records,
    log,
  });
  const tables = (await parts[what]?.(bench)) ?? [];
  log('Auditing …');
  const { summary, faults } = await bench.service.audit();
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}`;
  for (const { title, columns, rows } of tables) {
    const cells = rows.map((row) => row.map(figure));
    log(`\n${title}\n\n${markdownTable(columns, cells)}`);
  }
  log(
    `\nMeasured on ${machine}, in ${figure((Date.now() - startedAt.getTime()) / 60_000)} minutes.`,
  );
  log(`Audit: ${summary}`);
  const result = { what, startedAt, isQuick, machine, audit: { summary, faults }, tables };
  if (options.json) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`);
  await bench.close();
  await stopAllProcesses();
  await rm(dataDir, { recursive: true, force: true });
  process.exitCode = faults === 0 ? 0 : 1;
}

await runUntilShutdown(shutdownRequested(), measure, 130);
await shutDown(Number(process.exitCode ?? 0));
