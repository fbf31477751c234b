import type { Models } from '../../models/schemas/index.ts';
import { isFinal, send } from './send.ts';
import type { ServiceProcesses } from './service-processes.ts';
import { isRecordedPurchase, pickRandom, purchaseIn, refundOf } from './traffic.ts';
import type { SentEvent, SimulatedShop, TrafficLog } from './traffic-log.ts';

interface KillTargets {
  stage: ServiceProcesses;
  shops: SimulatedShop[];
  models: Models;
  trafficLog: TrafficLog;
}

const concurrency = 16;

/**
 * Repeatedly kills the API as it sends the first of many responses, and restarts it. Some of the concurrent
 * events are then recorded without their next step: a purchase's workflow has not started, or a refund has
 * not moved its reward.
 * @param kind of events to send; refunds are of purchases with a response in the trafficLog
 * @returns how many were found in that state, right after a kill
 */
export async function killDuringResponses(
  { stage, shops, models, trafficLog }: KillTargets,
  kind: SentEvent['kind'],
  times: number,
): Promise<number> {
  const caught = new Set<string>();
  const purchased = trafficLog.sent.filter(isRecordedPurchase);
  const next = (): SentEvent => {
    const of = pickRandom(purchased);
    if (kind === 'purchases') return purchaseIn(pickRandom(shops));
    if (of === undefined) throw new Error('there are no purchases');
    return refundOf(of);
  };
  for (let time = 0; time < times; time++) {
    const events = Array.from({ length: concurrency }, next);
    trafficLog.sent.push(...events);
    const answers = events.map(async (sent) => {
      const answer = await send(stage.baseUrl, sent);
      if (answer && isFinal(answer)) sent.response = answer;
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

/** The ids of events that are recorded, but no more. */
const inBetween: Record<SentEvent['kind'], (models: Models) => Promise<string[]>> = {
  async purchases({ orderEvents }) {
    const notStarted = await orderEvents.find({ type: 'PURCHASE', ...pending }, { _id: 1 });
    return notStarted.map(({ _id }) => _id);
  },
  async refunds({ orderEvents, rewards }) {
    const refunds = await orderEvents.find({ type: 'REFUND', ...pending }, { _id: 1, rewardId: 1 });
    const moved = await rewards.distinct('moves.refundEventId', {
      _id: { $in: refunds.map(({ rewardId }) => rewardId) },
    });
    return refunds.map(({ _id }) => _id).filter((id) => !moved.includes(id));
  },
};
