import { dayOf } from '../../domain/billing.ts';
import type { Models } from '../schemas/index.ts';
import {
  type CountedReward,
  type RewardDoc,
  type RewardTallyDoc,
  type RewardTotalsDoc,
  uncountedIndex,
} from '../schemas/rewards.ts';
import { insertMissing, isOnlyDuplicates } from '../store/insert-once.ts';

/** The most rewards in a batch, which is stored in one document. */
export const maxCounted = 500;

const majority = { readConcern: { level: 'majority' } } as const;

/**
 * Adds a partner's created and moved rewards to the totals of their days, each change exactly once
 * (docs/decisions/036). A batch is stored before it is counted, and each day and each reward store
 * the batch in which they were counted: so a process that finds an unfinished batch of another can
 * repeat it, and nothing is counted twice.
 * @param isStopping whether to leave the rest for later
 * @returns how many were counted
 */
export async function countRewards(
  models: Models,
  partnerId: string,
  isStopping = () => false,
): Promise<number> {
  let counted = 0;
  while (!isStopping()) {
    const tally = await models.rewardTallies.collection.findOne(
      { _id: partnerId, partnerId },
      majority,
    );
    if (tally?.open) {
      await countBatch(models, tally.partnerId, tally.batch, tally.open);
      continue;
    }
    const open = await findUncounted(models, partnerId);
    if (open.length === 0) return counted;
    if (!(await openBatch(models, partnerId, tally, open))) continue;
    await countBatch(models, partnerId, (tally?.batch ?? 0) + 1, open);
    counted += open.length;
  }
  return counted;
}

/** The next partner, by id, with rewards to count. */
export async function nextUncounted(models: Models, after: string): Promise<string | undefined> {
  const found = await models.rewards.collection.findOne<Pick<RewardDoc, 'partnerId'>>(
    { toCount: true, partnerId: { $gt: after } },
    { projection: { _id: 0, partnerId: 1 }, sort: { partnerId: 1 }, hint: uncountedIndex },
  );
  return found?.partnerId;
}

async function findUncounted(models: Models, partnerId: string): Promise<CountedReward[]> {
  const rewards = await models.rewards.collection
    .find({ partnerId, toCount: true }, { hint: uncountedIndex, ...majority })
    .limit(maxCounted)
    .toArray();
  return rewards.map(({ _id, mode, currency, createdAt, points, liabilityCents, ...reward }) => ({
    _id,
    mode,
    currency,
    day: dayOf(createdAt.toISOString()),
    points,
    cents: liabilityCents,
    from: reward.counted?.as ?? null,
    to: reward.status,
  }));
}

/** @returns whether this process opened the partner's next batch */
async function openBatch(
  { rewardTallies }: Models,
  partnerId: string,
  tally: RewardTallyDoc | null,
  open: CountedReward[],
): Promise<boolean> {
  if (tally === null) {
    return await insertMissing(rewardTallies, [{ _id: partnerId, partnerId, batch: 1, open }]);
  }
  const { matchedCount } = await rewardTallies.collection.updateOne(
    { _id: partnerId, partnerId, batch: tally.batch, open: { $exists: false } },
    { $set: { batch: tally.batch + 1, open } },
  );
  return matchedCount > 0;
}

async function countBatch(
  models: Models,
  partnerId: string,
  batch: number,
  open: readonly CountedReward[],
): Promise<void> {
  const days = Map.groupBy(open, (reward) => totalsIdOf(partnerId, reward));
  await addToDays(models, partnerId, batch, days);
  const marked = open.map(({ _id, to }) => ({
    updateOne: {
      filter: { partnerId, _id, 'counted.batch': { $not: { $gte: batch } } },
      update: [
        {
          $set: {
            counted: { as: to, batch },
            // A reward that was moved meanwhile is counted in the next batch.
            toCount: { $cond: [{ $eq: ['$status', to] }, '$$REMOVE', '$toCount'] },
          },
        },
      ],
    },
  }));
  await models.rewards.collection.bulkWrite(marked, { ordered: false });
  await models.rewardTallies.collection.updateOne(
    { _id: partnerId, partnerId, batch },
    { $unset: { open: '' } },
  );
}

const totalsIdOf = (
  partnerId: string,
  { mode, currency, day }: Pick<RewardTotalsDoc, 'mode' | 'currency' | 'day'>,
): string => `${partnerId}/${mode}/${currency}/${day}`;

/** A day that has the batch already does not match the filter, and its insert is refused. */
async function addToDays(
  { rewardTotals }: Models,
  partnerId: string,
  batch: number,
  days: ReadonlyMap<string, CountedReward[]>,
): Promise<void> {
  const writes = [...days].map(([_id, rewards]) => {
    const { mode, currency, day } = rewards[0] as CountedReward;
    return {
      updateOne: {
        filter: { _id, partnerId, batch: { $lt: batch } },
        update: {
          $inc: changesOf(rewards),
          $set: { batch },
          $setOnInsert: { mode, currency, day },
        },
        upsert: true,
      },
    };
  });
  try {
    await rewardTotals.collection.bulkWrite(writes, { ordered: false });
  } catch (error) {
    if (!isOnlyDuplicates(error)) throw error;
  }
}

function changesOf(rewards: readonly CountedReward[]): Record<string, number> {
  const changes = new Map<string, number>();
  for (const { from, to, points, cents } of rewards) {
    for (const [state, sign] of [
      [from, -1],
      [to, 1],
    ] as const) {
      if (state === null) continue;
      for (const [name, by] of Object.entries({ rewards: 1, points, cents })) {
        const field = `states.${state}.${name}`;
        changes.set(field, (changes.get(field) ?? 0) + sign * by);
      }
    }
  }
  return Object.fromEntries(changes);
}
