import { setTimeout as delay } from 'node:timers/promises';
import type { Models } from '../../models/schemas/index.ts';
import { purgeDeliveries } from '../../models/webhooks/deliveries.ts';
import { memoryOf } from './load/meter.ts';

const mebibyte = 1024 ** 2;
const sampleMs = 250;
const monthMs = 31 * 86_400_000;

/** What a large backlog of one endpoint costs while it is delivered, and when it is deleted. */
export interface BacklogCost {
  count: number;
  perSecond: number;
  /** The worker's resident memory, in MiB: before it was there, and at most while it was delivered. */
  memoryBefore: number;
  memoryMost: number;
  purgedPerSecond: number;
  purgedUndelivered: number;
}

/**
 * Has a backlog delivered that is there already, and deletes it as if it were thirty days old.
 * @param open lets it be delivered; resolves with how many a second arrived once all have
 */
export async function measureBacklog(
  models: Models,
  {
    workerPid,
    endpointId,
    partnerId,
  }: { workerPid: number; endpointId: string; partnerId: string },
  memoryBefore: number,
  open: () => Promise<number>,
): Promise<BacklogCost> {
  const count = await models.webhookDeliveries.countDocuments({ partnerId, endpointId });
  let memoryMost = memoryBefore;
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      memoryMost = Math.max(memoryMost, await memoryOf(workerPid));
      await delay(sampleMs);
    }
  })();
  const perSecond = await open();
  isDone = true;
  await watching;
  const longAgo = new Date(Date.now() - monthMs);
  await models.webhookDeliveries.updateMany({ partnerId, endpointId }, { createdAt: longAgo });
  const startMs = performance.now();
  const { deleted, undelivered } = await purgeDeliveries(models, Date.now());
  const purgedPerSecond = (deleted * 1_000) / (performance.now() - startMs);
  return {
    ...{ count, perSecond, purgedPerSecond, purgedUndelivered: undelivered },
    ...{ memoryBefore: memoryBefore / mebibyte, memoryMost: memoryMost / mebibyte },
  };
}
