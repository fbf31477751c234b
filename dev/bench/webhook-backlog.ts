import { setTimeout as delay } from 'node:timers/promises';
import type { Models } from '../../models/schemas/index.ts';
import { purgeDeliveries } from '../../models/webhooks/deliveries.ts';
import { figure } from './load/figures.ts';
import { memoryOf } from './load/meter.ts';

const mebibyte = 1024 ** 2;
const sampleMs = 250;
const monthMs = 31 * 86_400_000;

/** The cost of delivering and purging one endpoint's large backlog. */
export interface BacklogCost {
  /** How many were waiting when the delivery began. */
  count: number;
  /** The duration and rate of the delivery. */
  deliveredMs: number;
  perSecond: number;
  /** The worker's resident memory in MiB: before the backlog, and at most during the delivery. */
  memoryBefore: number;
  memoryMost: number;
  purged: number;
  purgedUndelivered: number;
  purgedPerSecond: number;
}

interface Backlog {
  workerPid: number;
  /** The worker's memory in bytes before the backlog. */
  memoryBefore: number;
  endpointId: string;
  partnerId: string;
}

/**
 * Delivers an existing backlog for a while, and then purges all of it as if thirty days had passed.
 * @param deliver starts and stops the delivery
 * @throws Error if the purge leaves webhooks or miscounts them
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
    count,
    deliveredMs,
    perSecond: ((count - left) * 1_000) / deliveredMs,
    memoryBefore: memoryBefore / mebibyte,
    memoryMost: memoryMost / mebibyte,
    purged: deleted,
    purgedUndelivered: undelivered,
    purgedPerSecond,
  };
}

/** The section of docs/performance.md. @param lateMs p95 delay of another endpoint's events meanwhile */
export function backlogSection(
  cost: BacklogCost,
  { lateMs, measuredOn }: { lateMs: number; measuredOn: string },
): string {
  return `## A million webhooks waiting

Written by \`npm run bench:webhooks -- --backlog\` ${measuredOn}

${figure(cost.count)} webhooks are put into the outbox of a paused endpoint. The endpoint is resumed for ${figure(cost.deliveredMs / 1_000)} s, while
another endpoint receives events at a steady rate; then the purge runs as if thirty days had passed.

- The worker's memory was ${figure(cost.memoryBefore)} MiB before the backlog, and at most ${figure(cost.memoryMost)} MiB during the delivery: it reads a hundred at a time.
- It delivered ${figure(cost.perSecond)} per second, eight at a time. The other endpoint received its events within ${figure(lateMs)} ms (p95).
- The purge deleted ${figure(cost.purged)}, ${figure(cost.purgedPerSecond)} per second and a thousand at a time, and counted ${figure(cost.purgedUndelivered)} of them as
  undelivered.
`;
}
