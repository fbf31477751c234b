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
  lost: 'a write that was answered is missing from then on',
  doubled: 'it is done twice',
  stale: 'one read tells what was before it',
};

/** The report of a run: what was done to the replica set, what the traffic met, and what was found. */
export function reportOf(
  {
    results,
    proof,
    found,
    planted,
    mongodb,
    pages,
  }: {
    results: readonly DisasterResult[];
    proof: Proof;
    found: CheckResult;
    planted: Record<PlantedFault, CheckResult>;
    mongodb: string;
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

\`npm run prove:failover\` runs the service on a replica set of three, with two APIs behind a balancer, two workers, the
portal and Temporal, each a process of its own. Two partners sell in LIVE and TEST, their customers claim, their shops
refund, an operator tops up and decides reviews, what happens is sent to their webhook endpoints, and an owner and an operator
read pages of the portal, all at once and without a pause, while the first column happens to MongoDB. Nobody tries a request twice while it flows. Each member is reached through a proxy of its own, by the others
and by the service: it swallows what one member sends to another, and lets us through; or it holds up what is sent on
every way, or loses some of it. A proxy of connections cannot lose a packet: what it loses comes 200 ms later, with all
that was written after it, as when TCP sends it again.

The set is told to elect after ${settings.electionTimeoutMillis / 1_000} s without a primary, and members ask each other every ${settings.heartbeatIntervalMillis / 1_000} s; with MongoDB's own
ten seconds, a primary that dies or hangs is missed for eight seconds longer.

Run on ${startedAt.toISOString().slice(0, 10)} with Node ${process.versions.node} and MongoDB ${mongodb} on ${availableParallelism()} cores shared by everything: ${count('purchases')} purchases, ${count('refunds')} refunds, ${trafficLog.claimed.size} claims, ${trafficLog.decided.size} decisions, ${trafficLog.webhooks.arrived.size} webhooks, ${pages.shown} pages.

${table(['what happened', 'longest without an answer, s', 'answered', '503', 'no answer'], rows)}

While both secondaries are away there is no majority, nothing that is answered could be sure to last, and every request
is a 503 until one is back. A member whose disk is full ends as soon as it has to write what it holds in memory, which is
within a minute; another is elected where it was the primary, and it is started again once there is room. "No answer" is
a connection that broke as its API was stopped to set its clock. ${pages.away} pages were answered by a 503 or not at all, and no page broke.

At the end, with the traffic at rest, the checks of [the crash proof](crash.md): ${proof.replayed} answers were asked for again and are
the same byte for byte, ${proof.retried} events without an answer were sent again and succeeded, each order has one reward, every
confirmed claim and decision stands, every move of a reward reached its endpoint, and the audit looked at ${proof.audited} records.

${proof.faults.length === 0 ? 'Nothing was lost.' : proof.faults.map((fault) => `- ${fault}`).join('\n')}

## One after the other

Beside that traffic, clients contend: three at a time buy the same order under three keys and with two bodies, four claim,
refund and read the same reward through the API, the operators' API and the portal, four top up and read the same wallet,
some of it twice. Each request and its answer is recorded with its times, and [Porcupine](https://github.com/anishathalye/porcupine)
looks for an order, each request at one moment between the two, in which small
[models of an order, a reward and a wallet](../../dev/linearizability/models.go) give the same answers. A request without
an answer may have been carried out at any time after it, or never.

${found.operations} requests in ${found.parts} histories, ${found.unanswered} without an answer: ${found.illegal.length === 0 ? 'an order explains each' : `${found.illegal.length} not explained`}.

Reads are of what a majority has. That does not keep a read from telling less than an earlier one while the primary changes: one
that was just elected knows what is committed only once it has committed something itself. No move of money rests on such a
read. So where no order explains a history, the reads made while something happened to the members are left out: what is
explained then is counted here, and what is not is a fault. ${staleText(found)}

That it would notice is tried with faults planted into the same histories, in every one that has a place for it:

${table(
  ['planted', 'histories', 'found'],
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
