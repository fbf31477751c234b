import { assertNever } from './assert-never.ts';
import { type RewardState, type WaitingFor, waitingFor } from './reward-states.ts';

/** What the next step of a purchase depends on. */
export interface NextStepFacts {
  /** Null until its workflow has created it. */
  reward: (RewardState & { claimExpiresAt: string }) | null;
  /** Whether money was ever reserved for the reward: in TEST only if there is test funding. */
  isReserved: boolean;
  /** When the open review is due, ISO 8601; null without one. */
  reviewDueAt: string | null;
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

/** What happens next to a reward (docs/domain.md, Reward states). */
export function nextStepOf(facts: NextStepFacts): NextStep {
  const { reward } = facts;
  if (reward === null) {
    return {
      waitsFor: 'SERVICE',
      until: null,
      sentence: () =>
        'The purchase is recorded and answered. Its reward is created within seconds.',
    };
  }
  const { status, funded, claimExpiresAt } = reward;
  const waitsFor = waitingFor(reward);
  switch (status) {
    case 'PENDING':
      return funded
        ? {
            waitsFor,
            until: claimExpiresAt,
            sentence: (timeText) => forCustomer(facts, timeText(claimExpiresAt)),
          }
        : {
            waitsFor: 'SERVICE',
            until: null,
            sentence: () =>
              'The reward is created. Whether the funds cover it is decided within seconds.',
          };
    case 'AWAITING_FUNDING':
      return {
        waitsFor,
        until: claimExpiresAt,
        sentence: (timeText) =>
          `The reward is in the queue for funds. Once it is funded, the customer gets the full claim window again. Otherwise it expires on ${timeText(claimExpiresAt)}. A refund cancels it.`,
      };
    case 'AVAILABLE':
      return {
        waitsFor,
        until: null,
        sentence: () =>
          'The customer has the points. Only a refund can change that, after a review.',
      };
    case 'ADMIN_REVIEW':
      return {
        waitsFor,
        until: facts.reviewDueAt,
        sentence: (timeText) => forAdmin(facts, timeText),
      };
    case 'EXPIRED':
      return {
        waitsFor,
        until: null,
        sentence: () =>
          `Nothing. The reward was not claimed in time${gaveBack(facts)}. A refund is recorded and changes nothing.`,
      };
    case 'CANCELLED':
      return {
        waitsFor,
        until: null,
        sentence: () =>
          'Nothing. The reward is cancelled. A further refund is recorded and changes nothing.',
      };
    default:
      return assertNever(status, 'reward status');
  }
}

function forCustomer({ isReserved, isSuspended }: NextStepFacts, until: string): string {
  const back = isReserved ? ', and what is reserved goes back to the funding' : '';
  const frozen = isSuspended
    ? ' The partner is suspended: nobody can claim until it is active again, and the claim window keeps running.'
    : '';
  return `The reward waits for the customer to claim it until ${until}. Then it expires${back}. A refund before that cancels it.${frozen}`;
}

function forAdmin({ reviewDueAt, now }: NextStepFacts, timeText: (at: string) => string): string {
  const open = 'The customer had claimed the reward before the refund, so an operator decides';
  const outcome =
    'If the refund is upheld, the reward is cancelled and its points are taken back; if it is dismissed, the customer keeps them.';
  if (reviewDueAt === null) return `${open}. ${outcome}`;
  const due = reviewDueAt < now ? 'was due on' : 'is due on';
  return `${open}; the decision ${due} ${timeText(reviewDueAt)}. ${outcome}`;
}

function gaveBack({ isReserved }: NextStepFacts): string {
  return isReserved ? ', and what was reserved for it went back to the funding' : '';
}
