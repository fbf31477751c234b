import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { program } from 'commander';
import { log } from '../dev/log.ts';
import type { ServerOptions } from '../dev/servers/mongo.ts';
import {
  onlyOption,
  openStage,
  type ProofFindings,
  runProof,
  type Stage,
} from './support/harness.ts';
import { addTemporal, createProcesses } from './support/processes.ts';
import { addReplicaSet, type ReplicaSet, settings } from './support/replica-set.ts';
import { gapIn } from './support/traffic-log.ts';

/** Longer than a response and an election take. */
const awayMs = 8_000;
/** Longer than any timeout of the service. */
const longMs = 30_000;
const clockAhead = fileURLToPath(new URL('support/clock-ahead.mjs', import.meta.url));

type Broken = Pick<Stage, 'processes'> & { set: ReplicaSet };

/** What is done to the service, and undone; after it the set recovers. */
const disasters: Record<string, (stage: Broken) => Promise<void>> = {
  'primary killed': async (stage) => await killed(stage, [(await stage.set.roles())[0]]),
  'primary frozen': async (stage) => await frozen(stage, [(await stage.set.roles())[0]], awayMs),
  'primary stepped down': steppedDown,
  'primary stepped down again': steppedDown,
  async 'primary cut off from the other members only'({ set }) {
    set.cutOff((await set.roles())[0]);
    await delay(awayMs);
    set.mend();
  },
  'a secondary killed': async (stage) => await killed(stage, [(await stage.set.roles())[1]]),
  'both secondaries killed': async (stage) =>
    await killed(stage, (await stage.set.roles()).slice(1)),
  'Temporal killed': async (stage) => await killed(stage, ['Temporal']),
  'Temporal hung': async (stage) => await frozen(stage, ['Temporal'], longMs),
  async 'clock of one API and one worker a minute ahead'({ processes }) {
    const seconds = ['worker 2', 'API 2'];
    for (const flags of [['--import', clockAhead], []]) {
      await processes.stop(seconds);
      await processes.start(seconds, flags);
      await delay(awayMs / 2);
    }
  },
};

async function killed({ processes }: Broken, names: readonly string[]): Promise<void> {
  await processes.kill(names);
  await delay(awayMs);
  await processes.start(names);
}

async function frozen({ processes }: Broken, names: readonly string[], forMs: number) {
  processes.freeze(names);
  await delay(forMs);
  processes.thaw(names);
}

async function steppedDown({ set }: Broken): Promise<void> {
  await set.stepDown((await set.roles())[0]);
  await delay(awayMs / 4);
}

program
  .name('prove -- failover')
  .description(
    'Runs the service on a replica set of three under load, breaks the set and Temporal in every way in turn, and checks that nothing was lost. Exits with 1 if anything was.',
  )
  .addOption(onlyOption(disasters))
  .option('--report <file>', 'write the report to this Markdown file')
  .parse();
const { only, report } = program.opts<{ only: string[]; report?: string }>();

/** Enough traffic that a moment without a response shows, but no more than the workflows complete. */
const level = { buyers: 8, claimers: 2, pauseMs: 150 };
const calmMs = 4_000;

async function prove(options: ServerOptions): Promise<ProofFindings> {
  const load = Math.round(loadavg()[1] ?? 0);
  const processes = createProcesses();
  const set = await addReplicaSet(processes, options);
  const temporalAddress = await addTemporal(processes, options);
  const servers = { mongodbUri: set.uri, temporalAddress };
  const stage = await openStage(processes, options, servers, { copies: 2 });
  const { trafficLog } = stage;
  const rows: string[][] = [];
  await stage.underTraffic(level, async () => {
    await delay(calmMs);
    for (const name of only) {
      const fromMs = Date.now();
      await disasters[name]?.({ processes, set });
      await set.untilWhole();
      await delay(calmMs);
      const gap = gapIn(trafficLog, { fromMs, toMs: Date.now() });
      const { succeeded, unavailable, refused, silent } = gap;
      const counts = [succeeded, unavailable, refused, silent].map(String);
      rows.push([name, (gap.longestMs / 1_000).toFixed(1), ...counts]);
      log(rows.at(-1)?.join(', ') ?? '');
    }
  });
  const { replayed, retried, audited, faults } = await stage.check();
  const { version } = (await stage.models.connection.db?.admin().serverInfo()) ?? {};
  if (trafficLog.pages.shown === 0) faults.push('no page was shown');
  return {
    intro: intro(version, load),
    trafficLog,
    columns: ['event', 'longest gap, s', 'succeeded', '503', 'refused', 'no response'],
    rows,
    outro: `The longest gap is the longest time without a successful response. While both secondaries are down there is no majority, no
write could be durable, and every request gets a 503. "No response" is a connection that broke when its API was stopped to set
its clock.

At the end, with the traffic stopped, the checks of the crash proof: ${replayed} responses were replayed byte for byte,
${retried} events without a response were sent again and succeeded, and the audit checked ${audited} records.`,
    faults,
  };
}

const intro = (mongodb: string, load: number): string => `# Failovers

\`npm run prove -- failover\` runs the service on a replica set of three (MongoDB ${mongodb}), with two APIs behind a load balancer, two
workers, the portal and Temporal, each a process of its own, under the traffic of the crash proof, during the
events in the first column. Clients do not retry. Members reach each other, and the service reaches them, through a proxy each,
which can cut members off from each other but not from the service. A hung Temporal keeps its connections and answers nothing
for ${longMs / 1_000} s.

The set elects after ${settings.electionTimeoutMillis / 1_000} s without a primary, and members check each other every ${settings.heartbeatIntervalMillis / 1_000} s. With MongoDB's default of ten
seconds, a primary that crashes or hangs is missed eight seconds longer. The machine's load average was ${load} before.`;

await runProof('failover', report, prove);
