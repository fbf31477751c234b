import { availableParallelism } from 'node:os';
import { table } from '../table.ts';
import type { Proof } from './proof.ts';
import type { TrafficLog } from './traffic-log.ts';

export interface Round {
  /** What was killed, and when. */
  killed: string;
  proof: Proof;
}

/** The report of a run: what was done to the service, and what was found. */
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

\`npm run prove:crash\` runs the API, the portal, the worker, MongoDB and Temporal as processes of their own, lets
two partners sell in LIVE and TEST, their customers claim, their shops refund and an operator top up and
decide reviews, all at once, and kills with \`kill -9\` what the first column names, in the middle of it.
Six seconds later, longer than an answer may take, the killed processes are started again, and the
traffic goes on; Temporal stays away for a minute in a row of its own. Nobody tries a request twice while
it flows. In the last rows the API alone is killed, over and over, each time as it gives the first of
sixteen answers: of the purchases in brackets no workflow had been started, and of the refunds the event
was recorded and the reward not yet moved.

As each row is killed an audit begins, which has to find no fault however long it takes. After each crash,
with the traffic at rest:

- every event that was ever answered is sent again and must be answered the same, byte for byte;
- every event without an answer is sent again and must succeed;
- as many events are stored as were sent, and each order has one reward;
- every claim and every decision that was confirmed stands;
- every move of a TEST reward was told to its partner's webhook endpoint, and nothing that was not made;
- every reward is accounted for, and as many purchase workflows run as rewards are open;
- \`npm run audit\`'s checks find no fault in ledger, test funding, usage and invoices.

Run on ${startedAt.toISOString().slice(0, 10)} with Node ${process.versions.node} on ${availableParallelism()} cores: ${count('purchases')} purchases, ${count('refunds')} refunds, ${trafficLog.claimed.size} claims, ${trafficLog.decided.size} decisions, ${trafficLog.webhooks.arrived.size} webhooks${repeatedWords(trafficLog)}.
Of the audits that began as something was killed, ${audits} ended, none but those named below with a fault.

${table(['killed', 'answers replayed', 'events retried', 'records audited', 'faults'], rows)}

${faults.length === 0 ? 'Nothing was lost.' : faults.map((fault) => `- ${fault}`).join('\n')}
`;
}

/** A webhook comes at least once: how many came again, with the id that they had. */
function repeatedWords({ webhooks: { arrived } }: TrafficLog): string {
  const repeated = [...arrived.values()].filter((times) => times > 1).length;
  return repeated === 0 ? '' : `, ${repeated} of them more than once`;
}
