import { maxRefundsPerOrder } from '../domain/answers.ts';
import type { SubtotalStep } from '../domain/connections.ts';
import { maskEmail, maskPhone, maskValues } from '../domain/customer.ts';
import type { EarningRule } from '../domain/earning-rules.ts';
import type {
  Channel,
  MessageReason,
  SentMessage,
  Undelivered,
  UndeliveredReason,
} from '../domain/messages.ts';
import type { Mode } from '../domain/mode.ts';
import { type NextStep, nextStepOf } from '../domain/next-step.ts';
import { explainPoints, type PointsExplanation } from '../domain/points.ts';
import { isAmongEnded } from '../domain/points-end.ts';
import { accounts } from '../domain/postings.ts';
import type { SealedPurchase, SealedRefund } from '../domain/purchase.ts';
import type { RedemptionStatus } from '../domain/redemption.ts';
import { reviewIdOf } from '../domain/review.ts';
import { isOnHold, type RewardStatus, statusOf } from '../domain/reward.ts';
import {
  atReview,
  type MoveContext,
  moveSentence,
  movesWithStates,
} from '../domain/reward-words.ts';
import { reviewedHoldings } from '../models/ledger/index.ts';
import { openContact } from '../models/rewards/contact.ts';
import { toEarningRule } from '../models/rewards/rules.ts';
import type { EntryDoc } from '../models/schemas/entries.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { Models } from '../models/schemas/index.ts';
import type { RedemptionDoc } from '../models/schemas/redemptions.ts';
import type { LoggedRequest } from '../models/schemas/requests.ts';
import type { ReviewDoc } from '../models/schemas/reviews.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { openEvent } from '../models/store/sealed-events.ts';
import { isIdOf } from '../platform/ids.ts';
import type { Sealer } from '../platform/sealing.ts';
import { findRequests } from './log.ts';
import { inScope, type ReadScope, scopeOf } from './partner-scope.ts';
import { type QueuePlace, readPlace } from './queue.ts';
import { type DeliveryDetails, readDeliveriesOfReward } from './webhooks.ts';

/** A customer's contact, masked; both null if the customer was erased. */
export interface MaskedContact {
  email: string | null;
  phone: string | null;
}

/** The content of a reported request, with personal data masked. */
export interface MaskedRequest {
  externalOrderId: string;
  externalRefundId?: string;
  /** How much of the order a refund refunded. */
  amountCents?: number;
  customer?: MaskedContact;
  order?: { subtotalCents: number; currency: string };
  /** Whether a reason was given. Its text is not shown, because it may identify a customer. */
  hasReason?: boolean;
  occurredAt: string | null;
  /** The names of the fields and the types of their values; null without metadata. */
  metadata: unknown;
  /** Whether the customer was erased, so that no personal data is left. */
  isErased: boolean;
  /** How a connection computed it from the platform's own numbers. */
  arithmetic?: SubtotalStep[];
}

const erasedPurchase = { email: null, phone: null, metadata: null };
const erasedRefund: SealedRefund = { reason: null, metadata: null };

/**
 * The request that an event was recorded from.
 * @param opened the unsealed part of the event; null if its customer was erased
 */
export function maskedRequest(event: OrderEventDoc, opened: string | null): MaskedRequest {
  const steps = stepsOf(event, opened);
  return { ...masking(event, opened), ...(steps.length > 0 && { arithmetic: steps }) };
}

/** The steps that a connection kept with what it reported; they are amounts alone. */
function stepsOf({ credentialId }: OrderEventDoc, opened: string | null): SubtotalStep[] {
  if (opened === null || !isIdOf('connection', credentialId)) return [];
  const { metadata }: Pick<SealedPurchase, 'metadata'> = JSON.parse(opened);
  const { connection } = (metadata ?? {}) as { connection?: { steps?: SubtotalStep[] } };
  return connection?.steps ?? [];
}

function masking(event: OrderEventDoc, opened: string | null): MaskedRequest {
  const isErased = opened === null;
  const { externalOrderId, externalRefundId, purchase } = event;
  const occurredAt = event.occurredAt?.toISOString() ?? null;
  if (purchase === null) {
    const { reason, metadata }: SealedRefund = isErased ? erasedRefund : JSON.parse(opened);
    return {
      externalOrderId,
      externalRefundId: externalRefundId ?? '',
      amountCents: event.amountCents ?? 0,
      hasReason: reason !== null,
      occurredAt,
      metadata: maskValues(metadata),
      isErased,
    };
  }
  const { email, phone, metadata }: Pick<SealedPurchase, 'email' | 'phone' | 'metadata'> = isErased
    ? erasedPurchase
    : JSON.parse(opened);
  const { currency, arithmetic } = purchase;
  return {
    externalOrderId,
    customer: masked({ email, phone }),
    order: { subtotalCents: arithmetic.subtotalCents, currency },
    occurredAt,
    metadata: maskValues(metadata),
    isErased,
  };
}

const masked = ({ email, phone }: MaskedContact): MaskedContact => ({
  email: email && maskEmail(email),
  phone: phone && maskPhone(phone),
});

/** An entry of a reward's timeline. */
export interface Moment {
  at: Date;
  kind: 'EVENT' | 'MOVE' | 'REVIEW' | 'MONEY' | 'MESSAGE';
  /** The id of the event, review or transaction; null for others. */
  id: string | null;
  /** A sentence that describes it. */
  what: string;
  /** The state that a move led to. */
  status?: RewardStatus | RedemptionStatus;
  /** The postings; only of MONEY. */
  postings: Pick<EntryDoc['postings'][number], 'account' | 'unit' | 'amount' | 'balanceAfter'>[];
}

/** The order of entries with the same time: causes before consequences. */
const kindsInOrder: Moment['kind'][] = ['EVENT', 'MOVE', 'REVIEW', 'MONEY', 'MESSAGE'];

/** Oldest first. */
export const inOrder = (moments: readonly Moment[]): Moment[] =>
  moments.toSorted(
    (one, other) =>
      one.at.getTime() - other.at.getTime() ||
      kindsInOrder.indexOf(one.kind) - kindsInOrder.indexOf(other.kind),
  );

/**
 * The timeline of a purchase's reward, oldest first. All its parts are found by indexes, and their number
 * is bounded because an order has a maximum number of refunds.
 * @param reward null until it is created
 */
export async function readTimeline(
  models: Models,
  purchase: OrderEventDoc,
  reward: RewardDoc | null,
): Promise<Moment[]> {
  const { partnerId, rewardId, _id: purchaseEventId } = purchase;
  const [events, entries] = await Promise.all([
    models.orderEvents.find({ partnerId, purchaseEventId }).limit(maxRefundsPerOrder + 1),
    models.ledger.find({ partnerId, rewardId }),
  ]);
  const reviewIds = events
    .filter(({ type }) => type === 'REFUND')
    .map(({ _id }) => reviewIdOf(_id));
  const reviews = await models.reviews.find({ partnerId, _id: { $in: reviewIds } });
  return inOrder([
    ...events.map(momentOfEvent),
    ...movesWithStates(reward?.moves ?? []).map(({ made, before }) =>
      momentOfMove(made, {
        before,
        currency: reward?.currency ?? '',
        ...(reward?.claimableFrom && { claimableFrom: reward.claimableFrom }),
      }),
    ),
    ...reviews.map(momentOfReview),
    ...entries.map(momentOfEntry),
    ...(reward?.undelivered ?? []).map(momentOfUndelivered),
    ...(reward?.sent ?? []).map((one) => momentOfSent(one, purchase.mode)),
  ]);
}

function momentOfEvent({ _id, type, receivedAt, externalRefundId }: OrderEventDoc): Moment {
  const what =
    type === 'PURCHASE'
      ? 'The purchase was received and accepted'
      : `The refund ${externalRefundId} was received and accepted`;
  return { at: receivedAt, kind: 'EVENT', id: _id, what, postings: [] };
}

function momentOfMove(made: RewardDoc['moves'][number], context: MoveContext): Moment {
  const { at, state } = made;
  const what = moveSentence(made, context);
  return { at, kind: 'MOVE', id: null, what, status: statusOf(state), postings: [] };
}

const channelWords: Record<Channel, string> = { EMAIL: 'email', SMS: 'text message' };

const undeliveredWords: Record<UndeliveredReason, string> = {
  NOT_TEXTABLE: 'the phone number cannot receive text messages',
  REFUSED: 'the recipient cannot be reached',
  GIVEN_UP: 'it could not be sent for three days',
  TOO_MANY: 'the day’s quota of messages is used up',
};

function momentOfUndelivered({ at, channel, reason }: Undelivered): Moment {
  const what = `The customer did not get the ${channelWords[channel]}: ${undeliveredWords[reason]}`;
  return { at, kind: 'MESSAGE', id: null, what, postings: [] };
}

const sentWords: Record<MessageReason, string> = {
  ON_HOLD: 'The customer was told when the points can be claimed',
  OFFER: 'The claim link was sent',
  REMINDER: 'A reminder of the claim link was sent',
  TAKEN_BACK: 'The customer was told that points were taken back',
  CORRECTED: 'The earlier contact was told that it was a mistake',
};

/** TEST reaches no customer. */
const testWords: Record<Channel, string> = {
  EMAIL: ', in TEST to the shop’s verified contact, if it has one, and not to the customer',
  SMS: ', which TEST sends to nobody',
};

function momentOfSent({ at, channel, reason }: SentMessage, mode: Mode): Moment {
  const what = `${sentWords[reason]}, by ${channelWords[channel]}${mode === 'TEST' ? testWords[channel] : ''}`;
  return { at, kind: 'MESSAGE', id: null, what, postings: [] };
}

function momentOfReview({ _id, openedAt, rounds }: ReviewDoc): Moment {
  const overdue = rounds === 2 ? 'once' : `${rounds - 1} times`;
  const again = rounds > 1 ? `, and became overdue ${overdue}` : '';
  const what = `A review was opened${again}`;
  return { at: openedAt, kind: 'REVIEW', id: _id, what, postings: [] };
}

export function momentOfEntry({ _id, at, kind, postings }: EntryDoc): Moment {
  return {
    at,
    kind: 'MONEY',
    id: _id,
    what: kind,
    postings: postings.map(({ account, unit, amount, balanceAfter }) => ({
      account,
      unit,
      amount,
      balanceAfter,
    })),
  };
}

/** Details of one purchase or refund event, for its page. */
export interface EventDetails {
  event: OrderEventDoc;
  /** The event itself if it is a purchase, or the purchase that it refunds. */
  purchase: OrderEventDoc;
  request: MaskedRequest;
  /** Whom the reward is for, masked: as the purchase said, unless that was corrected. */
  contact: MaskedContact;
  /** The response, byte for byte. */
  answer: { status: number; body: string };
  /** Null until the purchase's workflow has started. */
  reward: RewardDoc | null;
  /** The newest review of the reward. */
  review: ReviewDoc | null;
  /** Oldest first. */
  timeline: Moment[];
  next: NextStep;
  /** Whether its points cannot be claimed yet. */
  isOnHold: boolean;
  /** Null unless the reward waits for funds. */
  place: QueuePlace | null;
  why: PointsExplanation;
  /** The rule that the points were computed by. */
  rule: EarningRule;
  /** Undefined if it no longer exists, like the key. */
  integrationName: string | undefined;
  apiKey: string | undefined;
  /** The webhooks about the reward, oldest event first. */
  deliveries: DeliveryDetails[];
}

/** A purchase or refund as it was reported, with its response, byte for byte. */
export interface Report {
  event: OrderEventDoc;
  request: MaskedRequest;
}

/** Everything about one order: its reward, and what was reported of it. */
export interface OrderDetails extends EventDetails {
  /** The purchase and its refunds, oldest first. */
  reports: Report[];
  /** The newest requests about it, refused ones and repeats among them, newest first. */
  requests: LoggedRequest[];
  /** What the customer paid of this order with points, newest first. */
  redemptions: RedemptionDoc[];
  /** When points of a TEST customer end, which the TEST clock can move; null if none do. */
  ending: { at: Date; points: number } | null;
  /** Whether what was left of its points has ended. */
  hasEnded: boolean;
}

/** The most redemptions and requests of an order that are shown. */
const maxShown = 25;

/** The details of an order by its reward; null if the scope has none with this id. */
export async function readOrder(
  deps: { models: Models; sealer: Sealer; now: () => number },
  scope: ReadScope,
  rewardId: string,
): Promise<OrderDetails | null> {
  const { models } = deps;
  const bought = await models.orderEvents.findOne(
    { ...inScope(scope), rewardId, type: 'PURCHASE' },
    { _id: 1 },
  );
  const details = bought && (await readEventDetails(deps, scope, bought._id));
  if (!details) return null;
  const { purchase, reward } = details;
  const { partnerId, mode, externalOrderId } = purchase;
  const [events, requests, redemptions, held] = await Promise.all([
    models.orderEvents
      .find({ partnerId, purchaseEventId: purchase._id })
      .limit(maxRefundsPerOrder + 1),
    findRequests(
      models,
      { partnerId: scopeOf({ _id: partnerId }), mode, externalOrderId },
      maxShown,
    ),
    reward === null
      ? []
      : models.redemptions
          .find({ partnerId, customerId: reward.customerId, mode, externalOrderId })
          .sort({ _id: -1 })
          .limit(maxShown),
    reward === null
      ? null
      : reviewedHoldings(models, { partnerId, customerId: reward.customerId }, mode),
  ]);
  const reports = events
    .toSorted(inTime)
    .map((event) => ({ event, request: maskedRequest(event, openEvent(deps.sealer, event)) }));
  const ending = (mode === 'TEST' && held?.ending) || null;
  const hasEnded = reward !== null && isAmongEnded(reward, held?.ended);
  return { ...details, reports, requests, redemptions, ending, hasEnded };
}

const inTime = (one: OrderEventDoc, other: OrderEventDoc): number => (one._id < other._id ? -1 : 1);

/** The reward of an event; null if the scope has no such purchase or refund. */
export async function rewardOfEvent(
  { models }: { models: Models },
  scope: ReadScope,
  eventId: string,
): Promise<string | null> {
  const event = await models.orderEvents.findOne(
    { ...inScope(scope), _id: eventId },
    { rewardId: 1 },
  );
  return event?.rewardId ?? null;
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
  const { arithmetic, liabilityCents } = reward ?? purchase.purchase;
  const [contact, timeline, review, storedRule, deliveries, integration, key, place] =
    await Promise.all([
      openContact({ models, sealer }, purchase, reward?.correction),
      readTimeline(models, purchase, reward),
      reward?.review ? models.reviews.findOne({ ...ofPartner, _id: reward.review.reviewId }) : null,
      models.earningRules.findOne({ ...ofPartner, _id: arithmetic.ruleId }).orFail(),
      readDeliveriesOfReward({ models }, event),
      models.integrations.findOne({ ...ofPartner, _id: event.integrationId }, { name: 1 }),
      models.credentials.findOne({ ...ofPartner, _id: event.credentialId }, { apiKey: 1 }),
      reward && readPlace({ models }, reward),
    ]);
  const rule = toEarningRule(storedRule);
  return {
    event,
    purchase,
    request: maskedRequest(event, openEvent(sealer, event)),
    contact: masked(contact ?? erasedPurchase),
    answer: { status: event.request.status, body: event.answer },
    reward,
    review,
    timeline,
    next: nextStepOf({
      reward: reward && {
        ...reward,
        ...atReview(reward),
        claimExpiresAt: reward.claimExpiresAt.toISOString(),
        claimableFrom: reward.claimableFrom?.toISOString() ?? null,
      },
      isReserved: timeline.some(
        ({ kind, postings }) =>
          kind === 'MONEY' && postings.some(({ account }) => account === accounts.funding),
      ),
      reviewDueAt: review?.status === 'OPEN' ? review.dueAt.toISOString() : null,
      policyUpholdsAt:
        review?.status === 'BY_POLICY' ? (review.policy?.upholdsAt.toISOString() ?? null) : null,
      isSuspended: partner.status === 'SUSPENDED',
      now: new Date(now()).toISOString(),
    }),
    isOnHold: reward !== null && isOnHold(reward, new Date(now())),
    place,
    why: explainPoints(arithmetic, rule, liabilityCents),
    rule,
    integrationName: integration?.name,
    apiKey: key?.apiKey,
    deliveries,
  };
}
