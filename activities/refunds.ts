import { refundAnswer } from '../domain/answers.ts';
import type { Answer, RefundCommand, RewardSnapshot } from '../domain/events.ts';
import { refusals } from '../domain/refusals.ts';
import { applyMove } from '../domain/reward-states.ts';
import { insertOnce } from '../models/insert-once.ts';
import {
  answeredBy,
  answerFromRecord,
  findEarlierEvents,
  hasMostRefunds,
} from '../models/order-events.ts';
import type { OrderEventDoc } from '../models/schemas/order-event.ts';
import type { CarryOutRefund } from './carry-out-refund.ts';
import type { ActivityDeps } from './deps.ts';

/** The activity that records what partners refund. It is safe to repeat. */
export function refundActivities(
  { models }: Pick<ActivityDeps, 'models'>,
  carryOutRefund: CarryOutRefund,
) {
  return {
    /**
     * Records a refund with its answer, marked as yet to be settled, and carries it out. Dying in
     * between is mended by the repeat: it finds its own event and goes on.
     * @returns the answer and the reward after it
     */
    async recordRefund(
      command: RefundCommand,
      reward: RewardSnapshot,
    ): Promise<{ answer: Answer; reward: RewardSnapshot }> {
      const event = refundEvent(command, reward);
      const standing = await record(event);
      if (standing) return { answer: standing, reward };
      return { answer: answeredBy(event), reward: await carryOutRefund(event, reward) };
    },
  };

  /** @returns what the record answers instead, where the event is not recorded by this very refund */
  async function record(event: OrderEventDoc): Promise<Answer | undefined> {
    const isFull = await hasMostRefunds(models, event);
    if (!isFull && (await insertOnce(() => models.orderEvents.create(event)))) return undefined;
    const asked = { ...event, externalRefundId: event.externalRefundId ?? '' };
    const earlier = await findEarlierEvents(models, asked);
    if (earlier.byKey?._id === event._id) return undefined;
    const standing = answerFromRecord(earlier, event);
    if (standing) return standing;
    if (isFull) return refusals.tooManyRefunds(event);
    throw new Error(`${event._id} was refused by an index and no event stands in its way`);
  }
}

function refundEvent(command: RefundCommand, reward: RewardSnapshot): OrderEventDoc {
  const { eventId, externalRefundId, ...rest } = command;
  const receivedAt = new Date(command.receivedAt);
  const after = { ...reward, ...applyMove(reward, 'REFUND') };
  return {
    ...rest,
    _id: eventId,
    type: 'REFUND',
    rewardId: reward.rewardId,
    purchaseEventId: reward.purchaseEventId,
    receivedAt,
    occurredAt: command.occurredAt === null ? null : new Date(command.occurredAt),
    answer: JSON.stringify(refundAnswer(command, externalRefundId, after)),
    purchase: null,
    externalRefundId,
    awaitsWorkflowSince: receivedAt,
  };
}
