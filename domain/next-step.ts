import { assertNever } from './assert-never.ts';
import { type RewardState, type WaitingFor, waitingFor } from './reward.ts';
import type { AtReview } from './reward-words.ts';

/** What the next step of a purchase depends on. */
export interface Situation {
  /** Null until its workflow has created it. */
  reward:
    | ({ state: RewardState; claimExpiresAt: string; claimableFrom: string | null } & AtReview)
    | null;
  /** Whether the funding pays for the reward: not in TEST before test funding is added. */
  isReserved: boolean;
  /** When the open review is due, ISO 8601; null without one. */
  reviewDueAt: string | null;
  /** When a refund policy takes the points back, ISO 8601; null if operators decide. */
  policyUpholdsAt: string | null;
  /** Customers of a suspended partner can neither claim nor spend. */
  isSuspended: boolean;
  /** ISO 8601. */
  now: string;
}

export interface NextStep {
  /** `SERVICE`: nobody has to do anything; the service continues by itself. */
  waitsFor: WaitingFor | 'SERVICE';
  /** When the wait ends by itself, ISO 8601; null if it does not. */
  until: string | null;
  /** @param timeText formats an ISO 8601 time for the reader */
  sentence(timeText: (at: string) => string): string;
}

/** What happens next to a reward (docs/concepts/rewards.md, Reward states). */
export function nextStepOf(situation: Situation): NextStep {
  const { reward } = situation;
  if (reward === null) {
    return {
      waitsFor: 'SERVICE',
      until: null,
      sentence: () => 'The purchase is recorded. Its reward is created within seconds.',
    };
  }
  const { state, claimExpiresAt, claimableFrom } = reward;
  const waitsFor = waitingFor(state);
  switch (state) {
    case 'ACCEPTED':
      return {
        waitsFor: 'SERVICE',
        until: null,
        sentence: () =>
          'The reward is created. Whether the funds cover it is decided within seconds.',
      };
    case 'FUNDED':
      if (claimableFrom !== null && claimableFrom > situation.now) {
        return {
          waitsFor: 'SERVICE',
          until: claimableFrom,
          sentence: (timeText) =>
            onHold(situation, timeText(claimableFrom), timeText(claimExpiresAt)),
        };
      }
      return {
        waitsFor,
        until: claimExpiresAt,
        sentence: (timeText) => forCustomer(situation, timeText(claimExpiresAt)),
      };
    case 'AWAITING_FUNDING':
      return {
        waitsFor,
        until: claimExpiresAt,
        sentence: (timeText) =>
          `The reward is in the queue for funds. Once it is funded, the customer gets the full claim window again. Otherwise it expires on ${timeText(claimExpiresAt)}. A refund of the whole order cancels it, and one of a part reduces it.`,
      };
    case 'AVAILABLE':
      return {
        waitsFor,
        until: null,
        sentence: () =>
          'The customer has claimed the points. Only a refund can change that, after a review.',
      };
    case 'IN_REVIEW':
      if (situation.policyUpholdsAt !== null) return byPolicy(reward, situation.policyUpholdsAt);
      return {
        waitsFor,
        until: situation.reviewDueAt,
        sentence: (timeText) => forAdmin(situation, reward, timeText),
      };
    case 'EXPIRED':
      return {
        waitsFor,
        until: null,
        sentence: () =>
          `Nothing. The reward was not claimed in time${gaveBack(situation)}. A refund is recorded and changes nothing.`,
      };
    case 'CANCELLED':
      return {
        waitsFor,
        until: null,
        sentence: () =>
          'Nothing. The reward is cancelled. A further refund is recorded and changes nothing.',
      };
    default:
      return assertNever(state, 'reward state');
  }
}

function onHold({ isSuspended }: Situation, from: string, until: string): string {
  const frozen = isSuspended
    ? ' The partner is suspended: nobody can claim until it is active again, and the time keeps running.'
    : '';
  return `The reward is on hold: the customer can claim it from ${from} until ${until}. A refund of the whole order before it is claimed cancels it, and one of a part reduces it, without a review.${frozen}`;
}

function forCustomer({ isReserved, isSuspended }: Situation, until: string): string {
  const back = isReserved ? ', and what is reserved goes back to the funding' : '';
  const frozen = isSuspended
    ? ' The partner is suspended: nobody can claim until it is active again, and the claim window keeps running.'
    : '';
  return `The reward waits for the customer to claim it until ${until}. Then it expires${back}. A refund of the whole order before that cancels it, and one of a part reduces it.${frozen}`;
}

function byPolicy({ points, underReview }: AtReview, upholdsAt: string): NextStep {
  const all = underReview === points;
  const taken = all
    ? 'the reward is cancelled and its points are taken back'
    : `${underReview} of the ${points} points are taken back`;
  return {
    waitsFor: 'SERVICE',
    until: upholdsAt,
    sentence: (timeText) =>
      `The refund was decided by policy: on ${timeText(upholdsAt)}, ${taken}, unless an operator decides otherwise before. Until then the customer cannot spend them.`,
  };
}

function forAdmin(
  { reviewDueAt, now }: Situation,
  { points, underReview }: AtReview,
  timeText: (at: string) => string,
): string {
  const open = 'The customer had claimed the reward before the refund, so an operator decides';
  const outcome =
    underReview === points
      ? 'If the refund is upheld, the reward is cancelled and its points are taken back; if it is dismissed, the customer keeps them.'
      : `It is about a part of the order: if the refund is upheld, ${underReview} of the ${points} points are taken back, and the customer keeps ${points - underReview}; if it is dismissed, the customer keeps all of them.`;
  if (reviewDueAt === null) return `${open}. ${outcome}`;
  const due = reviewDueAt < now ? 'was due on' : 'is due on';
  return `${open}; the decision ${due} ${timeText(reviewDueAt)}. ${outcome}`;
}

function gaveBack({ isReserved }: Situation): string {
  return isReserved ? ', and what was reserved for it went back to the funding' : '';
}
