import { availableParallelism } from 'node:os';
import { table } from '../table.ts';
import type { Proof } from './proof.ts';
import type { TrafficLog } from './traffic-log.ts';

export interface Round {
  /** The killed processes, and the results. */
  killed: string;
  proof: Proof;
}

export function reportOf(
  rounds: readonly Round[],
  { trafficLog, audits }: { trafficLog: TrafficLog; audits: number },
  startedAt: Date,
): string {
  const faults = rounds.flatMap(({ proof }) => proof.faults);
  const rows = rounds.map(({ killed, proof: { replayed, retried, audited, faults } }) => [
    killed,
    ...[replayed, retried, audited, faults.length].map(String),
  ]);
  const count = (kind: string) => trafficLog.sent.filter((sent) => sent.kind === kind).length;
  return `# Crashes

\`npm run prove -- crash\` runs the API, the portal, the worker, MongoDB and Temporal as separate processes. Two
partners sell in LIVE and TEST, their customers claim, their shops refund, and an operator tops up and decides
reviews, all at once. Under this traffic the processes in the first column are killed with \`kill -9\` and started
again six seconds later, longer than a request may take; in a row of its own Temporal stays down for a minute.
Clients do not retry while the traffic flows. In the last rows only the API is killed, again and again, each time as
it sends the first of sixteen responses: none of the purchases in brackets had a workflow yet, and the refunds had
been recorded without moving their reward.

An audit starts with each kill and must find no fault, however long it takes. After each crash, with the traffic
stopped:

- every event that was answered is sent again and must get the same response, byte for byte;
- every event without a response is sent again and must succeed;
- as many events are stored as were sent, and each order has one reward;
- every confirmed claim and decision stands;
- every move of a TEST reward was announced to its partner's webhook endpoint, and nothing else was;
- every reward is accounted for, and as many purchase workflows run as rewards are open;
- \`npm run audit\` finds no fault in ledger, test funding, usage and invoices.

Run on ${startedAt.toISOString().slice(0, 10)} with Node ${process.versions.node} on ${availableParallelism()} cores: ${count('purchases')} purchases, ${count('refunds')} refunds, ${trafficLog.claimed.size} claims, ${trafficLog.decided.size} decisions, ${trafficLog.webhooks.arrived.size} webhooks${repeatedWords(trafficLog)}.
${audits} audits that started with a kill finished; any fault is listed below.

${table(['killed', 'responses replayed', 'events retried', 'records audited', 'faults'], rows)}

${faults.length === 0 ? 'Nothing was lost.' : faults.map((fault) => `- ${fault}`).join('\n')}
`;
}

/** Webhooks are delivered at least once; counts those that arrived again under the same id. */
function repeatedWords({ webhooks: { arrived } }: TrafficLog): string {
  const repeated = [...arrived.values()].filter((times) => times > 1).length;
  return repeated === 0 ? '' : `, ${repeated} of them more than once`;
}
