import type { EarningRule } from '../../domain/earning-rules.ts';
import { explainPoints, type PointsExplanation } from '../../domain/explain-points.ts';
import type { NextStep } from '../../domain/next-step.ts';
import { nextStepOf } from '../../domain/next-step.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { toEarningRule } from '../rewards/rules.ts';
import type { OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { ReviewDoc } from '../schemas/reviews.ts';
import type { RewardDoc } from '../schemas/rewards.ts';
import { openEvent } from '../store/data-keys.ts';
import { type MaskedRequest, maskedRequest } from './masked-request.ts';
import { inScope, type ReadScope } from './partner-scope.ts';
import { type Moment, readTimeline } from './timeline.ts';
import { type DeliveryDetails, readDeliveriesOfReward } from './webhooks.ts';

/** Details of one purchase or refund event, for its page. */
export interface EventDetails {
  event: OrderEventDoc;
  /** The event itself if it is a purchase, or the purchase that it refunds. */
  purchase: OrderEventDoc;
  request: MaskedRequest;
  /** The response, byte for byte. */
  answer: { status: number; body: string };
  /** Null until the purchase's workflow has started. */
  reward: RewardDoc | null;
  /** The newest review of the reward. */
  review: ReviewDoc | null;
  /** Oldest first. */
  timeline: Moment[];
  next: NextStep;
  why: PointsExplanation;
  /** The rule that the points were computed by. */
  rule: EarningRule;
  /** Undefined if it no longer exists, like the key. */
  integrationName: string | undefined;
  apiKey: string | undefined;
  /** The webhooks about the reward, oldest event first. */
  deliveries: DeliveryDetails[];
}

/**
 * The details of one event. They contain customer data, unsealed and masked. If an operator reads them,
 * the caller must add the audit entry `event.read`.
 * @returns null for an unknown event, or one outside the scope
 */
export async function readEventDetails(
  { models, sealer, now }: { models: Models; sealer: Sealer; now: () => number },
  scope: ReadScope,
  eventId: string,
): Promise<EventDetails | null> {
  const event = await models.orderEvents.findOne({ ...inScope(scope), _id: eventId });
  if (event === null) return null;
  const ofPartner = { partnerId: event.partnerId };
  const [purchase, reward, partner] = await Promise.all([
    models.orderEvents.findOne({ ...ofPartner, _id: event.purchaseEventId }).orFail(),
    models.rewards.findOne({ ...ofPartner, _id: event.rewardId }),
    models.partners.findById(event.partnerId).orFail(),
  ]);
  if (purchase.purchase === null) throw new Error(`${purchase._id} is not a purchase`);
  const { arithmetic, liabilityCents } = purchase.purchase;
  const [opened, timeline, review, storedRule, deliveries, integration, key] = await Promise.all([
    openEvent({ models, sealer }, event),
    readTimeline(models, purchase, reward),
    reward?.review ? models.reviews.findOne({ ...ofPartner, _id: reward.review.reviewId }) : null,
    models.earningRules.findOne({ ...ofPartner, _id: arithmetic.ruleId }).orFail(),
    readDeliveriesOfReward({ models }, event),
    models.integrations.findOne({ ...ofPartner, _id: event.integrationId }, { name: 1 }),
    models.credentials.findOne({ ...ofPartner, _id: event.credentialId }, { apiKey: 1 }),
  ]);
  const rule = toEarningRule(storedRule);
  return {
    event,
    purchase,
    request: maskedRequest(event, opened),
    answer: { status: event.request.status, body: event.answer },
    reward,
    review,
    timeline,
    next: nextStepOf({
      reward: reward && { ...reward, claimExpiresAt: reward.claimExpiresAt.toISOString() },
      isReserved: timeline.some(({ kind }) => kind === 'MONEY'),
      reviewDueAt: review?.status === 'OPEN' ? review.dueAt.toISOString() : null,
      isSuspended: partner.status === 'SUSPENDED',
      now: new Date(now()).toISOString(),
    }),
    why: explainPoints(arithmetic, rule, liabilityCents),
    rule,
    integrationName: integration?.name,
    apiKey: key?.apiKey,
    deliveries,
  };
}
