import type { RewardStatus } from '../../domain/reward-states.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { IntegrationEventDoc } from '../schemas/requests.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** The outcome of a request that recorded an event. */
export interface LogOutcome {
  /** The order's amount; null for a refund. */
  amount: { cents: number; currency: string } | null;
  /** Null until the reward is created. */
  points: number | null;
  rewardStatus: RewardStatus | null;
}

type Event = Pick<OrderEventDoc, '_id' | 'rewardId' | 'purchase'>;

/** The outcomes of the events on a page of the log, by their ids. Costs two reads. */
export async function readLogOutcomes(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  log: readonly Pick<IntegrationEventDoc, 'eventId'>[],
): Promise<Map<string, LogOutcome>> {
  const eventIds = [...new Set(log.flatMap(({ eventId }) => eventId ?? []))];
  if (eventIds.length === 0) return new Map();
  const events = await models.orderEvents
    .find(
      { partnerId, _id: { $in: eventIds } },
      { rewardId: 1, 'purchase.currency': 1, 'purchase.arithmetic.subtotalCents': 1 },
    )
    .lean<Event[]>();
  const rewards = await models.rewards.find(
    { partnerId, _id: { $in: events.map(({ rewardId }) => rewardId) } },
    { points: 1, status: 1 },
  );
  const rewardOf = new Map(rewards.map((reward) => [reward._id, reward]));
  return new Map(
    events.map(({ _id, rewardId, purchase }) => {
      const reward = rewardOf.get(rewardId);
      return [
        _id,
        {
          amount: purchase && {
            cents: purchase.arithmetic.subtotalCents,
            currency: purchase.currency,
          },
          points: reward?.points ?? null,
          rewardStatus: reward?.status ?? null,
        },
      ];
    }),
  );
}
