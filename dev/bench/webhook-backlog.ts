import { setTimeout as delay } from 'node:timers/promises';
import type { Models } from '../../models/schemas/index.ts';
import { purgeDeliveries } from '../../models/webhooks/deliveries.ts';
import { figure } from './load/figures.ts';
import { memoryOf } from './load/meter.ts';

const mebibyte = 1024 ** 2;
const sampleMs = 250;
const monthMs = 31 * 86_400_000;

/** What a large backlog of one endpoint costs while it is delivered, and when it is purged. */
export interface BacklogCost {
  /** How many were waiting when its delivery began. */
  count: number;
  /** For so long they were delivered, so many a second. */
  deliveredMs: number;
  perSecond: number;
  /** The worker's resident memory, in MiB: before there were any, and at most while they were delivered. */
  memoryBefore: number;
  memoryMost: number;
  purged: number;
  purgedUndelivered: number;
  purgedPerSecond: number;
}

interface Backlog {
  workerPid: number;
  /** Of the worker, in bytes, before there was a backlog. */
  memoryBefore: number;
  endpointId: string;
  partnerId: string;
}

/**
 * Has a backlog that is there already delivered for a while, and purges it all as if thirty days had passed.
 * @param deliver lets it be delivered, and resolves when that was ended
 * @throws Error where the purge leaves any, or counts them wrong
 */
export async function measureBacklog(
  models: Models,
  { workerPid, memoryBefore, endpointId, partnerId }: Backlog,
  deliver: () => Promise<void>,
): Promise<BacklogCost> {
  const all = { partnerId, endpointId };
  const waiting = () =>
    models.webhookDeliveries.countDocuments({ ...all, state: { $ne: 'DELIVERED' } });
  const count = await waiting();
  let memoryMost = memoryBefore;
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      memoryMost = Math.max(memoryMost, await memoryOf(workerPid));
      await delay(sampleMs);
    }
  })();
  const deliveryFrom = performance.now();
  await deliver();
  const deliveredMs = performance.now() - deliveryFrom;
  isDone = true;
  await watching;
  const left = await waiting();
  const purgeFrom = performance.now();
  const { deleted, undelivered } = await purgeDeliveries(models, Date.now() + monthMs);
  const purgedPerSecond = (deleted * 1_000) / (performance.now() - purgeFrom);
  const kept = await models.webhookDeliveries.countDocuments(all);
  if (kept > 0 || undelivered < left) {
    throw new Error(
      `${left} were waiting, ${undelivered} were purged undelivered, ${kept} are left`,
    );
  }
  return {
    ...{ count, deliveredMs, perSecond: ((count - left) * 1_000) / deliveredMs },
    ...{ memoryBefore: memoryBefore / mebibyte, memoryMost: memoryMost / mebibyte },
    ...{ purged: deleted, purgedUndelivered: undelivered, purgedPerSecond },
  };
}

/** The section of docs/performance.md. @param lateMs how late another endpoint's events came beside it, p95 */
export function backlogSection(
  cost: BacklogCost,
  { lateMs, measuredOn }: { lateMs: number; measuredOn: string },
): string {
  return `## A million webhooks waiting

Written by \`npm run bench:webhooks -- --backlog\` ${measuredOn}

${figure(cost.count)} webhooks are put into the outbox of one endpoint that is paused. Then it is resumed for ${figure(cost.deliveredMs / 1_000)} s, while
another endpoint receives events at a steady pace; then the purge runs as if thirty days had passed.

- The worker held ${figure(cost.memoryBefore)} MiB before there was a backlog, and at most ${figure(cost.memoryMost)} MiB while it delivered: it reads a hundred at a time.
- It delivered ${figure(cost.perSecond)} a second, eight at a time. The other endpoint received its events within p95 ${figure(lateMs)} ms.
- The purge deleted ${figure(cost.purged)}, ${figure(cost.purgedPerSecond)} a second and a thousand at a time, and said that ${figure(cost.purgedUndelivered)} of them had
  never been delivered.
`;
}
