import { availableParallelism } from 'node:os';
import type { Proof } from '../prove-crash/proof.ts';
import type { TrafficLog } from '../prove-crash/traffic-log.ts';
import type { AvailabilityGap } from '../prove-failover/gaps.ts';
import type { PagesRead } from '../prove-failover/page-reads.ts';
import { table } from '../table.ts';
import type { HistoryFindings } from './histories.ts';
import { compatibleSince } from './release.ts';

/** A step, and the responses during it. */
export interface UpgradeStep {
  what: string;
  gap: AvailabilityGap;
  /** Responses other than a success. */
  refused: number;
}

export interface UpgradeResult {
  from: string;
  to: string;
  /** Between two requests of one customer or shop. */
  pauseMs: number;
  stretches: readonly UpgradeStep[];
  /** After the rollback, by the previous release; and at the end, by the new one. */
  proofs: { rolledBack: Proof; upgraded: Proof };
  pages: PagesRead;
  histories: HistoryFindings;
  faults: readonly string[];
}

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

\`npm run prove -- upgrade\` checks out and installs a previous release and runs it on a database and with partners that it
created itself: two APIs behind a load balancer, two workers and a portal, each a process of its own. Two partners sell in
LIVE and TEST, their customers claim, their shops refund, an operator tops up and decides reviews, webhooks are delivered, and
an owner and an operator read pages of the portal, without a pause, during the steps in the first column. They follow
[the instructions](../running.md#stopping-and-upgrading): \`migrate\`, then the workers, then the API and the portal. The new
release holds its workflow patches until the previous one is gone for good.

The previous release must be \`${compatibleSince.commit}\` of ${compatibleSince.date} or newer. Since then,
[every stored form can be read by both releases](../changing-it.md#change-what-is-stored), and every history replays. Before,
nothing was deployed, and names, totals of rewards and the steps of the purchase's workflow changed without a transition: this
release cannot replay purchase workflows of older releases.

From \`${from}\` to \`${to}\`, on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${availableParallelism()} shared cores: ${sent.length} purchases and
refunds, ${claimed.size} claims, ${decided.size} decisions, ${webhooks.arrived.size} webhooks, ${pages.shown} pages.
Each customer and shop paused ${pauseMs} ms between requests.

${table(['step', 'longest gap, s', 'succeeded', 'refused', 'no response'], rows)}

The longest gap is the longest time without a successful response. "No response" is a connection that broke when its API was
stopped. Clients do not retry while the traffic flows. Pages that got a 503 or no response while a portal was stopped: ${pages.away}.

- After the rollback, the previous release replayed ${rolledBack.replayed} responses of either release byte for byte.
  ${rolledBack.retried} events without a response were sent again and succeeded. The audit checked ${rolledBack.audited} records.
- At the end, the new release replayed ${upgraded.replayed} responses; ${upgraded.retried} events were sent again; ${upgraded.audited} records were audited. Every open
  reward has its workflow, and every confirmed claim and decision stands.
- Of ${histories.read} histories, ${histories.passedOn.forward} workflows continued from the previous release to the new one, ${histories.passedOn.back} the other way.
- These histories record ${histories.patches.recorded} patches, ${histories.patches.notHeld.length === 0 ? 'none' : 'some'} of them by a worker that held them.
- ${histories.failed.length === 0 ? 'No workflow task failed' : `${histories.failed.length} workflow tasks failed`}, and no worker logged a nondeterminism error. The new release replays
  ${histories.notReplayed.length === 0 ? 'each of them' : `all but ${histories.notReplayed.length} of them`}.

${faults.length === 0 ? 'Nothing was refused, and nothing was lost.' : faults.map((fault) => `- ${fault}`).join('\n')}
`;
}
