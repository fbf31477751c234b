import { setTimeout as delay } from 'node:timers/promises';
import { InvalidArgumentError, program } from 'commander';
import { log } from '../dev/log.ts';
import type { ServerOptions } from '../dev/servers/mongo.ts';
import type { AuditRunDoc } from '../models/schemas/audit.ts';
import { isDue } from '../models/schemas/due.ts';
import { scheduleIdOf } from '../temporal/schedules.ts';
import type { Proof } from './support/check.ts';
import {
  onlyOption,
  openStage,
  type ProofFindings,
  runProof,
  type Stage,
} from './support/harness.ts';
import { addMongo, addTemporal, createProcesses } from './support/processes.ts';
import { nextPurchase, nextRefund, sendLogged } from './support/traffic.ts';
import type { SentEvent } from './support/traffic-log.ts';

function count(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 600) return value;
  throw new InvalidArgumentError('It must be an integer from 1 to 600.');
}

/** Servers first, as they are started again. */
const everything = ['Temporal', 'MongoDB', 'worker', 'API', 'portal'];

/** What is killed, by name; each returns what else there is to say. */
const rounds: Record<string, (stage: Stage, faults: string[]) => Promise<string>> = {
  ...Object.fromEntries(
    everything.map((one) => [one, (stage: Stage) => crash(stage, [one], shortMs)]),
  ),
  'all at once': (stage) => crash(stage, everything, shortMs),
  'Temporal for a minute': (stage) => crash(stage, ['Temporal'], longMs),
  ...Object.fromEntries(
    ['API', 'worker', 'MongoDB'].map((one) => [
      `${one} amid commits`,
      (stage: Stage, faults: string[]) => killAmidCommits(stage, one, faults),
    ]),
  ),
};

program
  .name('prove -- crash')
  .description(
    'Runs the whole service on its own data under load, kills each process in turn and all at once with SIGKILL, then some again and again amid commits, and checks that nothing was lost. Exits with 1 if anything was.',
  )
  .option('--seconds <n>', 'seconds of traffic before and after each crash', count, 8)
  .option('--buyers <n>', 'shops that send at a time, and a quarter as many customers', count, 16)
  .option('--kills <n>', 'how often to kill each process amid commits', count, 50)
  .addOption(onlyOption(rounds))
  .option('--report <file>', 'write the report to this Markdown file')
  .parse();
const { seconds, buyers, kills, only, report } = program.opts<{
  seconds: number;
  buyers: number;
  kills: number;
  only: string[];
  report?: string;
}>();

const level = { buyers, claimers: Math.ceil(buyers / 4), pauseMs: 20 };
const lightly = { buyers: Math.ceil(buyers / 8), claimers: 1, pauseMs: 200 };
/** Longer than any response takes. */
const shortMs = 6_000;
/** Longer than any timeout of the service, so that only Temporal's work is waiting. */
const longMs = 60_000;
/** Requests at a time, of which the first response is the moment of a kill. */
const burst = 16;

async function prove(options: ServerOptions): Promise<ProofFindings> {
  const processes = createProcesses();
  const mongodbUri = await addMongo(processes, options);
  const temporalAddress = await addTemporal(processes, options);
  const stage = await openStage(processes, options, { mongodbUri, temporalAddress });
  const rows: string[][] = [];
  const faults: string[] = [];
  for (const name of only) {
    const more = await rounds[name]?.(stage, faults);
    const proof = await stage.check();
    rows.push(rowOf(name + more, proof));
    faults.push(...proof.faults);
    log(`killed ${rows.at(-1)?.join(', ')}`);
  }
  const audits = await stage.models.auditRuns.find().sort({ _id: 1 });
  return {
    intro: intro(audits.length),
    trafficLog: stage.trafficLog,
    columns: ['killed', 'responses replayed', 'events retried', 'records audited', 'faults'],
    rows,
    outro: '',
    faults: [...faults, ...wrongAudits(audits)],
  };
}

const rowOf = (killed: string, { replayed, retried, audited, faults }: Proof): string[] => [
  killed,
  ...[replayed, retried, audited, faults.length].map(String),
];

/** Kills processes under traffic, and starts them again. */
async function crash(
  { underTraffic, processes, temporal, taskQueue }: Stage,
  victims: readonly string[],
  awayMs: number,
): Promise<string> {
  await underTraffic(level, async () => {
    await delay(seconds * 1_000);
    // The audit runs while processes die, and finishes once they are back.
    await temporal.schedule.getHandle(scheduleIdOf('audit', taskQueue)).trigger();
    await processes.kill(victims);
    await delay(awayMs);
    await processes.start(victims);
    await delay(seconds * 1_000);
  });
  return '';
}

/**
 * Kills a process as the first of many responses arrives, again and again, and starts it anew: the other
 * requests are somewhere before, in or after their commit.
 * @returns how many purchases were committed without an answer, and how many events nobody had acted on
 */
async function killAmidCommits(
  { underTraffic, processes, baseUrl, shops, models, trafficLog }: Stage,
  victim: string,
  faults: string[],
): Promise<string> {
  const untold = new Set<string>();
  const sent: SentEvent[] = [];
  const next = (time: number): SentEvent =>
    (time % 2 === 1 && nextRefund(trafficLog)) || nextPurchase(shops);
  await underTraffic(lightly, async () => {
    for (let time = 0; time < kills; time++) {
      const events = Array.from({ length: burst }, () => next(time));
      sent.push(...events);
      const answers = events.map((event) => sendLogged(baseUrl, event, trafficLog));
      await Promise.race(answers);
      await processes.kill([victim]);
      if (victim === 'MongoDB') await processes.start([victim]);
      for (const { _id } of await models.orderEvents.find(isDue, { _id: 1 })) untold.add(_id);
      for (const { _id } of await models.rewards.find(isDue, { _id: 1 })) untold.add(_id);
      await Promise.all(answers);
      if (victim !== 'MongoDB') await processes.start([victim]);
    }
  });
  const orders = sent.flatMap(({ response, kind, orderId }) =>
    !response && kind === 'purchases' ? [orderId] : [],
  );
  const unanswered = await models.orderEvents.countDocuments({
    type: 'PURCHASE',
    externalOrderId: { $in: orders },
  });
  if (untold.size + unanswered === 0) faults.push(`no kill of ${victim} was amid a commit`);
  return `, ${kills} times (${unanswered} purchases committed without an answer, ${untold.size} not yet acted on)`;
}

/** The results of the audits that ran during the crashes. */
function wrongAudits(runs: readonly AuditRunDoc[]): string[] {
  if (runs.length === 0) return ['no audit finished'];
  return runs
    .filter(({ faults }) => faults > 0)
    .map(({ startedAt, summary }) => `the audit of ${startedAt.toISOString()}: ${summary}`);
}

const intro = (audits: number): string => `# Crashes

\`npm run prove -- crash\` runs the API, the portal, the worker, MongoDB and Temporal as separate processes. Two
partners sell in LIVE and TEST, their customers claim, their shops refund, an operator tops up and decides reviews, and an
owner and an operator read pages, all at once. Under this traffic the processes in the first column are killed with \`kill -9\`
and started again six seconds later, longer than a request may take; in a row of its own Temporal stays down for a minute.
Clients do not retry while the traffic flows. In the last rows one process is killed again and again, each time as the first
of sixteen purchases or refunds is answered: the others are somewhere before, in or after their commit.

An audit starts with each kill and must find no fault, however long it takes: ${audits} finished. After each crash, with the traffic
stopped:

- every event that was answered is sent again and must get the same response, byte for byte;
- every event without a response is sent again and must succeed;
- as many events are stored as were sent, and each order has one reward;
- every confirmed claim and decision stands;
- every move of a TEST reward was announced to its partner's webhook endpoint, and nothing else was;
- nothing is due, and as many purchase workflows run as rewards are open;
- \`npm run audit\` finds no fault in ledger, test funding, usage and invoices.`;

await runProof('crash', report, prove);
