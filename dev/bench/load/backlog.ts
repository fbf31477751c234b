import { setTimeout as delay } from 'node:timers/promises';
import type { Models } from '../../../models/schemas/index.ts';
import { newId } from '../../../platform/ids.ts';

const sampleMs = 500;
const patienceMs = 30 * 60_000;

/**
 * Counts the accepted purchases that the workflows have not completed: those not started, and those whose
 * reward is not accounted for.
 * @param sinceReward a reward id; counts only newer rewards, to keep the query cheap
 */
async function countBehind({ orderEvents, rewards }: Models, sinceReward: string): Promise<number> {
  const newer = { _id: { $gt: sinceReward } } as object;
  const [notBegun, notAccounted] = await Promise.all([
    orderEvents.collection.countDocuments({ pendingSince: { $exists: true } }),
    rewards.collection.countDocuments({ status: 'PENDING', funded: false, ...newer }),
  ]);
  return notBegun + notAccounted;
}

/** Samples the backlog of the workflows twice a second until they have caught up. */
export function watchBacklog(models: Models) {
  const sinceReward = newId('reward');
  const count = (): Promise<number> => countBehind(models, sinceReward);
  let most = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, await count());
      await delay(sampleMs);
    }
  })();
  return {
    count,
    /**
     * @returns the largest backlog
     * @throws Error if the workflows do not catch up within half an hour
     */
    async untilCaughtUp(): Promise<number> {
      isOver = true;
      await watching;
      const deadlineMs = Date.now() + patienceMs;
      for (let behind = await count(); behind > 0; behind = await count()) {
        if (Date.now() > deadlineMs)
          throw new Error(`the workflows are ${behind} purchases behind`);
        await delay(sampleMs);
      }
      return most;
    },
  };
}
