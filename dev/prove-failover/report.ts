import { availableParallelism } from 'node:os';
import type { Proof } from '../prove-crash/proof.ts';
import type { TrafficLog } from '../prove-crash/traffic-log.ts';
import { table } from '../table.ts';
import type { AvailabilityGap } from './gaps.ts';
import {
  type CheckResult,
  type PlantedFault,
  plantedFaults,
  unexplainedCount,
} from './linearizable.ts';
import type { PagesRead } from './page-reads.ts';
import { settings } from './three-members.ts';

export interface DisasterResult {
  name: string;
  gap: AvailabilityGap;
}

const meaning: Record<PlantedFault, string> = {
  lost: 'an acknowledged write is missing from then on',
  doubled: 'an acknowledged write takes effect twice',
  stale: 'one read returns the state before it',
};

export function reportOf(
  {
    results,
    proof,
    found,
    planted,
    mongodb,
    loadAverage,
    pages,
  }: {
    results: readonly DisasterResult[];
    proof: Proof;
    found: CheckResult;
    planted: Record<PlantedFault, CheckResult>;
    mongodb: string;
    /** The machine's load before the first event: other load lengthens every gap. */
    loadAverage: number;
    pages: PagesRead;
  },
  trafficLog: TrafficLog,
  startedAt: Date,
): string {
  const rows = results.map(({ name, gap: { longestMs, succeeded, unavailable, silent } }) => [
    name,
    (longestMs / 1_000).toFixed(1),
    ...[succeeded, unavailable, silent].map(String),
  ]);
  const count = (kind: string) => trafficLog.sent.filter((sent) => sent.kind === kind).length;
  return `# Failovers

\`npm run prove:failover\` runs the service on a replica set of three, with two APIs behind a load balancer, two workers, the
portal and Temporal, each a process of its own. Two partners sell in LIVE and TEST, their customers claim, their shops
refund, an operator tops up and decides reviews, webhooks are delivered, and an owner and
an operator read pages of the portal, all at once and without a pause, during the events in the first column.
Clients do not retry. Members reach each other, and the service reaches them, through a proxy each, which can cut members
off from each other but not from the service, delay traffic, or lose some of it. Because a TCP proxy cannot lose a packet,
what it loses arrives 200 ms later with everything behind it, as after a retransmission.

The set elects after ${settings.electionTimeoutMillis / 1_000} s without a primary, and members check each other every ${settings.heartbeatIntervalMillis / 1_000} s. With MongoDB's default of ten
seconds, a primary that crashes or hangs is missed eight seconds longer.

Run on ${startedAt.toISOString().slice(0, 10)} with Node ${process.versions.node} and MongoDB ${mongodb} on ${availableParallelism()} shared cores with a load average of ${loadAverage}: ${count('purchases')} purchases, ${count('refunds')} refunds, ${trafficLog.claimed.size} claims, ${trafficLog.decided.size} decisions, ${trafficLog.webhooks.arrived.size} webhooks, ${pages.shown} pages.

${table(['event', 'longest gap, s', 'succeeded', '503', 'no response'], rows)}

The longest gap is the longest time without a successful response. While both secondaries are down there is no majority, no
write could be durable, and every request gets a 503. A member with a full disk exits as soon as it has to flush memory,
within a minute; it is restarted once there is room, and if it was the primary, another is elected. "No response" is a
connection that broke when its API was stopped to set its clock. ${pages.away} pages got a 503 or no response, and no page broke.

At the end, with the traffic stopped, the checks of [the crash proof](crash.md): ${proof.replayed} responses were replayed byte for byte,
${proof.retried} events without a response were sent again and succeeded, each order has one reward, every confirmed claim and decision
stands, every move of a reward reached its endpoint, and the audit checked ${proof.audited} records.

${proof.faults.length === 0 ? 'Nothing was lost.' : proof.faults.map((fault) => `- ${fault}`).join('\n')}

## Linearizability

At the same time, clients contend. Three at a time buy the same order under three keys with two bodies; four claim, refund
and read the same reward through the API, the operators' API and the portal; four top up and read the same wallet, some of it
twice. Every request is recorded with its start, end and response. [Porcupine](https://github.com/anishathalye/porcupine) then
looks for one order of the requests, each at a moment between its start and its end, in which small
[models of an order, a reward and a wallet](../../dev/linearizability/models.go) give the same responses. A request without a
response may have taken effect at any later time, or never.

${found.operations} requests in ${found.parts} histories, ${found.unanswered} without a response: ${found.illegal.length === 0 ? 'every history is linearizable' : `${found.illegal.length} histories are not linearizable`}.

Reads use read concern majority. While the primary changes, such a read may still return less than an earlier one: a newly
elected primary knows what is committed only once it has committed something itself. No move of money depends on such a read.
If a history is not linearizable, it is checked again without the reads made during an event: histories that pass then are
counted here, all others are faults. ${staleText(found)}

To show that Porcupine would notice, the same faults are planted into every history that has a place for them:

${table(
  ['planted fault', 'histories', 'found'],
  plantedFaults.map((plant) => [
    meaning[plant],
    String(planted[plant].planted),
    String(unexplainedCount(planted[plant])),
  ]),
)}
`;
}

function staleText({ stale }: CheckResult): string {
  if (stale.length === 0) return 'There was none.';
  const all = stale.map(({ part, during }) => `${part.split(' ')[0]} (${during.join(', ')})`);
  return `There ${stale.length === 1 ? 'was one' : `were ${stale.length}`}: ${all.join('; ')}.`;
}
