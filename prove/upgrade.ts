import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { program } from 'commander';
import { log } from '../dev/log.ts';
import type { ServerOptions } from '../dev/servers/mongo.ts';
import { openStage, type ProofFindings, runProof } from './support/harness.ts';
import { checkHistories } from './support/histories.ts';
import { addMongo, addTemporal, createProcesses } from './support/processes.ts';
import { formerRelease, hereRelease, removeRelease, runIn } from './support/releases.ts';
import { gapIn } from './support/traffic-log.ts';

program
  .name('prove -- upgrade')
  .description(
    'Upgrades a previous release to this tree under load, rolls back, upgrades again, and checks that nothing was refused or lost and that every workflow continued. Exits with 1 otherwise.',
  )
  .option('--from <tag or commit>', 'the previous release', 'HEAD')
  .option('--seconds <n>', 'seconds of traffic after each step', Number, 8)
  .option('--pause <ms>', 'milliseconds between two requests of one customer or shop', Number, 200)
  .option('--report <file>', 'write the report to this Markdown file')
  .parse();
const { from, seconds, pause, report } = program.opts<{
  from: string;
  seconds: number;
  pause: number;
  report?: string;
}>();

/** Two releases side by side take the cores twice. */
const level = { buyers: 6, claimers: 2, pauseMs: pause };

async function prove(options: ServerOptions): Promise<ProofFindings> {
  const former = await formerRelease(from, join(options.dataDir, 'former'));
  const present = await hereRelease();
  log(`from ${former.name} to ${present.name}`);
  const processes = createProcesses();
  const mongodbUri = await addMongo(processes, options);
  const temporalAddress = await addTemporal(processes, options);
  const releases = [former, present];
  const servers = { mongodbUri, temporalAddress };
  const stage = await openStage(processes, options, servers, { copies: 2, releases });
  const { trafficLog } = stage;
  const rows: string[][] = [];
  const faults: string[] = [];
  const step = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const fromMs = Date.now();
    await work();
    await delay(seconds * 1_000);
    const gap = gapIn(trafficLog, { fromMs, toMs: Date.now() });
    const refused = gap.refused + gap.unavailable;
    const counts = [gap.succeeded, refused, gap.silent].map(String);
    rows.push([what, (gap.longestMs / 1_000).toFixed(1), ...counts]);
    log(rows.at(-1)?.join(', ') ?? '');
    if (refused > 0) faults.push(`${what}: ${refused} refused`);
  };

  await stage.underTraffic(level, async () => {
    await step('the previous release alone', async () => undefined);
    await step('the new one migrates and joins it', async () => {
      await runIn(present, ['cli/migrate.ts'], stage.env);
      await stage.start(present);
    });
    await step('the previous one stops', () => stage.stop(former));
    await step('it rejoins the new one', () => stage.start(former));
    await step('the new one stops: rolled back', () => stage.stop(present));
  });
  const rolledBack = await stage.check();
  await stage.underTraffic(level, async () => {
    await step('the new one joins again', () => stage.start(present));
    await step('the previous one stops for good', () => stage.stop(former));
  });
  const upgraded = await stage.check();
  const histories = await checkHistories(stage, present);
  await removeRelease(former);
  return {
    intro: intro(former.name, present.name),
    trafficLog,
    columns: ['step', 'longest gap, s', 'succeeded', 'refused', 'no response'],
    rows,
    outro: `The longest gap is the longest time without a successful response. "No response" is a connection that broke when its API was
stopped; clients do not retry while the traffic flows.

- After the rollback, the previous release replayed ${rolledBack.replayed} responses of either release byte for byte, ${rolledBack.retried} events without
  a response were sent again and succeeded, and the audit checked ${rolledBack.audited} records. At the end, the new release replayed
  ${upgraded.replayed}, ${upgraded.retried} were sent again, and ${upgraded.audited} records were audited. The other checks are those of
  the crash proof.
- Of ${histories.read} histories, ${histories.forward} workflows continued from the previous release to the new one, ${histories.back} the other way.
  ${histories.faults.length === 0 ? 'No workflow task failed, no worker logged a nondeterminism error, and the new release replays each of them.' : ''}`,
    faults: [
      ...faults,
      ...rolledBack.faults.map((fault) => `rolled back: ${fault}`),
      ...upgraded.faults,
      ...histories.faults,
      ...(await complaintsIn(options.dataDir)),
    ],
  };
}

/** The nondeterminism errors that workers log. */
async function complaintsIn(dataDir: string): Promise<string[]> {
  const names = (await readdir(dataDir)).filter((name) => /worker.*\.log$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(dataDir, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n'));
  return lines.filter((line) => /non-?determinis|TMPRL1100/i.test(line));
}

const intro = (former: string, present: string): string => `# An upgrade, and its rollback

\`npm run prove -- upgrade --from <tag or commit>\` checks out and installs a previous release and runs it on data that it creates
itself: two APIs behind a load balancer, two workers and a portal, each a process of its own, under the traffic of
the crash proof, during the steps in the first column. They follow
the instructions: \`migrate\`, then the workers, then the API and the portal.

The previous release must have the core of one fact per commit. Before it, nothing was
deployed, and what is stored and the steps of workflows changed without a transition. From then on,
every stored form can be read by both releases, and every history replays.

From \`${former}\` to \`${present}\`; each customer and shop paused ${pause} ms between requests.`;

await runProof('upgrade', report, prove);
