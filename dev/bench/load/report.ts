import { type Answers, errorCount, figure, perSecond, table } from './figures.ts';
import type { BenchMachine } from './machine.ts';
import type { Measured } from './measured.ts';
import { cpuMsOf, type PurchaseWindow } from './purchases.ts';
import { answersOf, type Results } from './results.ts';
import { targetsOf } from './targets.ts';
import type { WorkflowCost, WorkflowCosts } from './workflows.ts';

/** The page: the results, the machine, and the targets. */
export function pageOf(results: Results, machine: BenchMachine, startedAt: Date): string {
  const { cores, processor, node, mongodb, temporal } = machine;
  return `# Performance

Written by \`npm run bench:load\`. It runs the embedded servers on fresh data, the API and the worker in their
own processes, and a load generator that signs like a partner, all on the same machine. Right before each
measurement, or in alternation with it, it measures the minimum cost of the operation:

- **bare Koa**: Koa, the body, the signature check. The floor of a replay or a read.
- **floor**: the same, then one indexed read and one insert (majority, journaled) of a document like an
  order event, with as many indexes. The floor of a new order.
- **bare insert**: only that insert, through the driver.
- **refund floor**: Koa, the signature, two indexed reads and two such inserts.
- **claim floor**: Koa, the signature, one indexed read and one equally durable update.
- **empty workflow**: started eagerly, up to a timer; also with two local activities that do nothing, and with one and
  what operators see of a purchase in the Temporal UI (search attributes, a summary, a fairness key). The floors of a
  purchase's workflow.

Figures vary between machines and from hour to hour; the ratios are more meaningful. Run on
${startedAt.toISOString().slice(0, 10)}: ${cores} cores (${processor}), Node ${node}, MongoDB ${mongodb}, Temporal ${temporal}.

${sectionsOf(results)}
`;
}

/** Only the tables of the measured parts. */
export function sectionsOf(results: Results): string {
  return [
    section('Targets', targetTable(results)),
    section('Responses', answerTable(results)),
    ...(results.moves ? [section('Refunds and claims', moveSection(results, results.moves))] : []),
    section('After the response', `${backlogNote}\n\n${backlogTable(results)}`),
    ...(results.workflows ? [section('Workflows', workflowTable(results.workflows))] : []),
    section('The cost of a purchase, from the request to the timer', costTable(results)),
    section('Other results', notes(results)),
  ].join('\n\n');
}

function section(title: string, text: string): string {
  return `## ${title}\n\n${text}`;
}

function targetTable(results: Results): string {
  const rows = targetsOf(results).map(({ what, target, measured, isMet }) => [
    ...[what, target, measured],
    isMet ? 'met' : 'NOT MET',
  ]);
  return table(['metric', 'target', 'measured', ''], rows);
}

const floorOf: Partial<Record<Measured['what'], Measured['what']>> = {
  replays: 'bare Koa',
  'GET plans': 'bare Koa',
  'GET usage': 'bare Koa',
  'GET billing': 'bare Koa',
  refunds: 'refund floor',
  'refunds, purchase backlog': 'refund floor',
  'refunds, Temporal stopped': 'refund floor',
  claims: 'claim floor',
  'claims, purchase backlog': 'claim floor',
  'claims, Temporal stopped': 'claim floor',
};

function answerTable(results: Results): string {
  const rows = [
    ...measuredRows(results, (what) => !isOfMoves(what)),
    ...results.sales.map(({ name, concurrency, answers }) =>
      answerRow(
        `new orders, ${name}`,
        concurrency,
        answers,
        answersOf(results, 'floor', concurrency),
      ),
    ),
  ];
  return table(answerHead, rows);
}

const isOfMoves = (what: Measured['what']): boolean => /refund|claim/.test(what);
const answerHead = [
  ...['operation', 'concurrency', 'responses/s', 'relative to floor'],
  ...['p50 ms', 'p95 ms', 'max ms', 'errors'],
];

function measuredRows(results: Results, isWanted: (what: Measured['what']) => boolean): string[][] {
  return results.measured
    .filter(({ what }) => isWanted(what))
    .map(({ what, concurrency, answers }) => {
      const floor = floorOf[what];
      return answerRow(what, concurrency, answers, floor && answersOf(results, floor, concurrency));
    });
}

/** LIVE, for purchases whose workflows wait at their timers. */
function moveSection(results: Results, moves: NonNullable<Results['moves']>): string {
  const { carriedOut, waitingBefore, waitingAfter, otherStartMs } = moves;
  const carried = carriedOut.map(({ what, perSecond: rate }) => `${figure(rate)} ${what}`);
  return `${table(answerHead, measuredRows(results, isOfMoves))}

- At concurrency 64, ${carried.join(' and ')} per second were carried out after the response.
- ${figure(waitingBefore)} TEST purchases of the same partner were waiting before the last two rows, and ${figure(waitingAfter)} after them.
  Meanwhile LIVE purchases of another partner started within ${figure(otherStartMs)} ms.`;
}

function answerRow(what: string, concurrency: number, answers: Answers, floor?: Answers): string[] {
  const { p50, p95, max } = answers;
  const ofFloor = floor && perSecond(answers) / perSecond(floor);
  return [
    ...[what, String(concurrency), figure(perSecond(answers)), figure(ofFloor)],
    ...[p50, p95, max, errorCount(answers)].map(figure),
  ];
}

const backlogNote = `The backlog is the accepted purchases that are not accounted for yet: at its peak, and after the last response.
The drain time is from the last response until the backlog is cleared. Completed purchases have reached their
timers: their rate is that of the final backlog if it was large, otherwise that of all purchases. A
duplicate-key error is a lost race for a place in a chain, or a repeat.`;

function backlogTable({ sales, burst }: Results): string {
  const rows = withBurst(sales, burst?.window).map((sale) => [
    `${sale.name}, concurrency ${sale.concurrency}`,
    ...[sale.answers.answered, sale.peakBacklog, sale.finalBacklog].map(figure),
    figure(sale.drainMs / 1_000),
    figure(sale.completedPerSecond),
    figure(sale.used.duplicateKeyErrors),
  ]);
  const head = ['new orders', 'accepted', 'peak backlog', 'final backlog', 'drain time, s'];
  return table([...head, 'completed/s', 'duplicate-key errors'], rows);
}

/** LIVE purchases in alternation with the floor's workflows. */
function workflowTable({ costs, relative }: WorkflowCosts): string {
  const [empty, two, described] = [
    'empty workflow',
    'with two local activities',
    'with one, described like a purchase',
  ];
  const rows: [string, WorkflowCost][] = [
    [empty, costs.empty],
    [two, costs.twoActivities],
    [described, costs.described],
    ['purchase', costs.purchase],
    [`purchase, relative to ${empty}`, relative.empty],
    [`purchase, relative to that ${two}`, relative.twoActivities],
    [`purchase, relative to that ${described}`, relative.described],
  ];
  return table(
    ['workflow', 'completed/s', 'API and worker, CPU ms', 'Temporal, CPU ms'],
    rows.map(([what, { perSecond: rate, ownCpuMs, temporalCpuMs }]) => [
      what,
      ...[rate, ownCpuMs, temporalCpuMs].map(figure),
    ]),
  );
}

function costTable({ sales, burst }: Results): string {
  const processes = ['API', 'worker', 'MongoDB', 'Temporal'];
  const rows = withBurst(sales, burst?.window).map((sale) => [
    `${sale.name}, concurrency ${sale.concurrency}`,
    ...processes.map((process) => figure(cpuMsOf(sale, process))),
    figure(sale.used.flushes / sale.answers.answered),
  ]);
  const head = processes.map((process) => `${process}, CPU ms`);
  return table(['per purchase', ...head, 'journal flushes'], rows);
}

function withBurst(
  sales: readonly PurchaseWindow[],
  burst: PurchaseWindow | undefined,
): PurchaseWindow[] {
  return burst ? [...sales, burst] : [...sales];
}

function notes({ burst, history }: Results): string {
  const lines: string[] = [];
  if (burst) {
    const { window, workerBytes, audit } = burst;
    lines.push(
      `- A burst of ${figure(window.answers.answered)} purchases at concurrency 64: ${figure(perSecond(window.answers))} responses per second, p95 ${figure(window.answers.p95)} ms, ${errorCount(window.answers)} errors; the backlog was cleared ${figure(window.drainMs / 1_000)} s after the last response. The worker then used ${figure(workerBytes / 1e6)} MB. The audit of the whole run: ${audit}`,
    );
  }
  if (history) {
    lines.push(
      `- The history of an unclaimed purchase has ${history.events} events in ${history.workflowTasks} workflow tasks.`,
    );
  }
  return lines.join('\n');
}
