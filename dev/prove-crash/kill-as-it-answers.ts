import type { Models } from '../../models/schemas/index.ts';
import type { Diary, Sent, Shop } from './diary.ts';
import { isFinal, send } from './send.ts';
import type { Stage } from './stage.ts';
import { isPurchased, oneOf, purchaseIn, refundOf } from './traffic.ts';

interface Killing {
  stage: Stage;
  shops: Shop[];
  models: Models;
  diary: Diary;
}

const atOnce = 16;

/**
 * Kills the API as it gives the first of many answers, starts it again, and so on: of the events that are
 * under way some are recorded, and what comes next did not happen: a purchase's workflow is not started,
 * a refund has not moved its reward.
 * @param kind of what is sent; refunds are of purchases that the diary has an answer to
 * @returns how many were found in between, right after a kill
 */
export async function killAsItAnswers(
  { stage, shops, models, diary }: Killing,
  kind: Sent['kind'],
  times: number,
): Promise<number> {
  const caught = new Set<string>();
  const purchased = diary.sent.filter(isPurchased);
  const next = (): Sent => {
    const of = oneOf(purchased);
    if (kind === 'purchases') return purchaseIn(oneOf(shops));
    if (of === undefined) throw new Error('something was bought');
    return refundOf(of);
  };
  for (let time = 0; time < times; time++) {
    const asked = Array.from({ length: atOnce }, next);
    diary.sent.push(...asked);
    const answers = asked.map(async (sent) => {
      const answer = await send(stage.baseUrl, sent);
      if (answer && isFinal(answer)) sent.answer = answer;
    });
    await Promise.race(answers);
    await stage.kill(['API']);
    for (const id of await inBetween[kind](models)) caught.add(id);
    await Promise.all(answers);
    await stage.revive(['API']);
  }
  return caught.size;
}

const pending = { pendingSince: { $exists: true } };

/** The ids of the events that are recorded, and not more. */
const inBetween: Record<Sent['kind'], (models: Models) => Promise<string[]>> = {
  async purchases({ orderEvents }) {
    const unbegun = await orderEvents.find({ type: 'PURCHASE', ...pending }, { _id: 1 }).lean();
    return unbegun.map(({ _id }) => _id);
  },
  async refunds({ orderEvents, rewards }) {
    const refunds = await orderEvents
      .find({ type: 'REFUND', ...pending }, { _id: 1, rewardId: 1 })
      .lean();
    const moved = await rewards.distinct('moves.refundEventId', {
      _id: { $in: refunds.map(({ rewardId }) => rewardId) },
    });
    return refunds.map(({ _id }) => _id).filter((id) => !moved.includes(id));
  },
};
