import { availableParallelism } from 'node:os';
import type { Proof } from '../prove-crash/proof.ts';
import type { TrafficLog } from '../prove-crash/traffic-log.ts';
import { table } from '../table.ts';
import type { AvailabilityGap } from './gaps.ts';
import type { PagesRead } from './page-reads.ts';
import { settings } from './three-members.ts';

export interface DisasterResult {
  name: string;
  gap: AvailabilityGap;
}

export function reportOf(
  {
    results,
    proof,
    mongodb,
    loadAverage,
    pages,
  }: {
    results: readonly DisasterResult[];
    proof: Proof;
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

\`npm run prove -- failover\` runs the service on a replica set of three, with two APIs behind a load balancer, two workers, the
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
`;
}
