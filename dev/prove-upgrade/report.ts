import { availableParallelism } from 'node:os';
import type { Proof } from '../prove-crash/proof.ts';
import type { TrafficLog } from '../prove-crash/traffic-log.ts';
import type { AvailabilityGap } from '../prove-failover/gaps.ts';
import type { PagesRead } from '../prove-failover/page-reads.ts';
import { table } from '../table.ts';
import type { HistoryFindings } from './histories.ts';
import { compatibleSince } from './release.ts';

/** A stretch of traffic, and what it met. */
export interface UpgradeStep {
  what: string;
  gap: AvailabilityGap;
  /** Answered with anything but success. */
  refused: number;
}

export interface UpgradeResult {
  from: string;
  to: string;
  /** Between two requests of one customer or shop. */
  pauseMs: number;
  stretches: readonly UpgradeStep[];
  /** After the rollback, by the former release; and at the end, by the present one. */
  proofs: { rolledBack: Proof; upgraded: Proof };
  pages: PagesRead;
  histories: HistoryFindings;
  faults: readonly string[];
}

/** The report of a run: what was replaced by what, what the traffic met, and what was found. */
export function reportOf(
  { from, to, pauseMs, stretches, proofs, pages, histories, faults }: UpgradeResult,
  { sent, claimed, decided, webhooks }: TrafficLog,
): string {
  const rows = stretches.map(({ what, gap: { longestMs, succeeded, silent }, refused }) => [
    what,
    (longestMs / 1_000).toFixed(1),
    ...[succeeded, refused, silent].map(String),
  ]);
  const { rolledBack, upgraded } = proofs;
  return `# An upgrade, and its rollback

\`npm run prove:upgrade\` checks a former release out, installs what it depends on, and runs it: two APIs behind a balancer,
two workers and a portal, each a process of its own, with the database and the partners that it made itself. Two partners
sell in LIVE and TEST, their customers claim, their shops refund, an operator tops up and decides reviews, what happens is
sent to their webhook endpoints, and an owner and an operator read pages of the portal, without a pause, while the first
column happens. As [running](../running.md#stopping-and-upgrading) says: \`migrate\` first, then the
workers, then the API and the portal; the present release's workers hold its workflow patches until the former one is gone
for good.

A former release has to be no older than \`${compatibleSince.commit}\` of ${compatibleSince.date}; from then on
[no stored form changes](../changing-it.md#change-what-is-stored) without both releases reading it. Until then nothing was deployed, and
names, totals of rewards and the purchase's workflow changed in one step. The commit before it, \`d02dd639\`, has other names for
four stored fields, which neither release reads of the other: the page of an export that is under way fails, a user who does
not want to be notified of new devices is, a disabled endpoint may not be announced, and the audit may report an event as
missing that an endpoint had not subscribed to. Still older ones leave rewards out of the totals while they run beside this one, which the
audit reports, and have histories that this one does not replay: from \`6b87d2ed\` of 2026-11-24 nothing was refused or lost, but 2
rewards were not counted and 25 of 801 histories not replayed.

From \`${from}\` to \`${to}\`, on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${availableParallelism()} cores shared by everything: ${sent.length} purchases and
refunds, ${claimed.size} claims, ${decided.size} decisions, ${webhooks.arrived.size} webhooks, ${pages.shown} pages.
Each customer and shop rested ${pauseMs} ms between two requests.

${table(['what happened', 'longest without an answer, s', 'answered', 'refused', 'no answer'], rows)}

"No answer" is a connection that broke as its API was stopped; nobody tries a request twice while the traffic flows. Pages that
were answered by a 503, or not at all, as a portal was stopped: ${pages.away}.

- The rolled back release, asked again for everything that either had answered: ${rolledBack.replayed} answers are the same byte for byte,
  ${rolledBack.retried} events without an answer were sent again and succeeded. The audit looked at ${rolledBack.audited} records.
- The present release, at the end, likewise: ${upgraded.replayed} answers, ${upgraded.retried} events, ${upgraded.audited} records. Every open reward has its
  workflow, and every confirmed claim and decision stands.
- ${histories.read} histories were read. ${histories.passedOn.forward} workflows went on under the present release after the former one, ${histories.passedOn.back} the other way.
- ${histories.patches.recorded} patches are recorded in these histories, ${histories.patches.notHeld.length === 0 ? 'none' : 'some'} of them by a worker that held them.
- ${histories.failed.length === 0 ? 'No workflow task failed' : `${histories.failed.length} workflow tasks failed`}, and no worker logged one that is not deterministic. The present release replays
  ${histories.notReplayed.length === 0 ? 'each of them' : `all but ${histories.notReplayed.length} of them`}.

${faults.length === 0 ? 'Nothing was refused, and nothing was lost.' : faults.map((fault) => `- ${fault}`).join('\n')}
`;
}
