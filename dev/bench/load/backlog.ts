import { setTimeout as delay } from 'node:timers/promises';
import type { Models } from '../../../models/schemas/index.ts';
import { newId } from '../../../platform/ids.ts';

const sampleMs = 500;
const patienceMs = 30 * 60_000;

/**
 * How many answered purchases their workflows have not dealt with: those that have not begun, and
 * those whose reward is not accounted for.
 * @param sinceReward a reward id; only rewards made after it are looked at, so that looking stays cheap
 */
async function countBehind({ orderEvents, rewards }: Models, sinceReward: string): Promise<number> {
  const newer = { _id: { $gt: sinceReward } } as object;
  const [notBegun, notAccounted] = await Promise.all([
    orderEvents.collection.countDocuments({ pendingSince: { $exists: true } }),
    rewards.collection.countDocuments({ status: 'PENDING', funded: false, ...newer }),
  ]);
  return notBegun + notAccounted;
}

/** Looks twice a second how far the workflows are behind, from now until it has seen them catch up. */
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
     * @returns the most that was seen
     * @throws Error when the workflows do not catch up within half an hour
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
