import { initialState, type RewardMove } from '../../domain/reward.ts';
import { dayMs } from '../../domain/utc-days.ts';
import { deliveryRetentionMs, everyEventType } from '../../domain/webhooks.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { RewardDoc } from '../../models/schemas/rewards.ts';
import type { WebhookEndpointDoc } from '../../models/schemas/webhooks.ts';
import type { DocCheck } from '../sources.ts';

/** How far the clocks of the processes that move a reward and create an endpoint may differ. */
const slackMs = 10_000;
/** Deliveries about to be purged are not expected. */
const purgeMs = deliveryRetentionMs - dayMs;

/** The events of a move, written independently of the code that announces them. */
function typesOf(move: RewardMove, before: string, after: string): string[] {
  if (move === 'FUND') return ['reward.funded'];
  if (move === 'MATURE') return after === 'FUNDED' ? ['reward.claimable'] : [];
  if (move === 'REDUCE') {
    return before === 'IN_REVIEW' ? ['review.decided', 'reward.reduced'] : ['reward.reduced'];
  }
  if (before === after) return [];
  switch (move) {
    case 'RUN_SHORT':
      return ['reward.awaiting_funding'];
    case 'CLAIM':
      return ['reward.claimed'];
    case 'EXPIRE':
      return ['reward.expired'];
    case 'REFUND':
      return [after === 'IN_REVIEW' ? 'review.opened' : 'reward.cancelled'];
    case 'REINSTATE':
    case 'CORRECT':
      return [];
    case 'UPHOLD':
      return ['review.decided', 'reward.cancelled'];
    case 'DISMISS':
      return ['review.decided'];
    default:
      return ['reward.cancelled'];
  }
}

interface Expected {
  /** The type, and the number of the move. */
  event: string;
  type: string;
  atMs: number;
}

function expectedOf({ moves }: RewardDoc): Expected[] {
  return moves.flatMap(({ move, at, state }, place) =>
    typesOf(move, moves[place - 1]?.state ?? initialState, state).map((type) => ({
      event: `${type} ${place + 1}`,
      type,
      atMs: at.getTime(),
    })),
  );
}

/** The endpoints that receive events, and since when without interruption. */
async function openEndpoints({ webhookEndpoints }: Models, partnerId: string) {
  return await webhookEndpoints.find({
    partnerId,
    status: { $in: ['ACTIVE', 'PAUSED'] },
    userId: { $exists: false },
  });
}

function isOwed(
  { mode, eventTypes, subscribedSince, createdAt }: WebhookEndpointDoc,
  reward: RewardDoc,
  { type, atMs }: Expected,
  nowMs: number,
): boolean {
  const sinceMs = Math.max((subscribedSince ?? createdAt).getTime() + slackMs, nowMs - purgeMs);
  return (
    mode === reward.mode &&
    atMs >= sinceMs &&
    (eventTypes.includes(everyEventType) || eventTypes.includes(type))
  );
}

/**
 * Every move of a reward has a delivery to each subscribed endpoint, and nothing else has.
 */
export const movesAreAnnounced: DocCheck<RewardDoc> = {
  name: 'webhooks: each move has its event, and each event its move',
  async problemsOf({ models }, partnerId, rewards) {
    const endpoints = await openEndpoints(models, partnerId);
    const ids = rewards.map(({ _id }) => _id);
    const deliveries = await models.webhookDeliveries.find(
      { partnerId, rewardId: { $in: ids } },
      { rewardId: 1, endpointId: 1, type: 1, body: 1 },
    );
    const told = Map.groupBy(
      deliveries.map(({ rewardId, endpointId, type, body }) => ({
        rewardId,
        endpointId,
        event: `${type} ${JSON.parse(body).sequence}`,
      })),
      ({ rewardId }) => rewardId,
    );
    const nowMs = Date.now();
    return rewards.flatMap((doc) => {
      const named = `reward ${doc._id}, partner ${partnerId}`;
      const expected = expectedOf(doc);
      const made = new Set(expected.map(({ event }) => event));
      const sent = told.get(doc._id) ?? [];
      const missing = endpoints.flatMap((endpoint) =>
        expected
          .filter((one) => isOwed(endpoint, doc, one, nowMs))
          .filter(
            ({ event }) => !sent.some((a) => a.endpointId === endpoint._id && a.event === event),
          )
          .map(({ event }) => ({
            doc,
            text: `${named}: ${endpoint._id} has no delivery of ${event}`,
          })),
      );
      const invented = sent
        .filter(({ event }) => !made.has(event))
        .map(({ event, endpointId }) => ({
          doc,
          text: `${named}: ${endpointId} has a delivery of ${event}, which never happened`,
        }));
      return [...missing, ...invented];
    });
  },
};
