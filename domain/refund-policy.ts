import type { Mode } from './mode.ts';
import { dayMs } from './utc-days.ts';

/**
 * A partner's refund policy: which refunds of claimed rewards are upheld without an operator
 * (docs/decisions/051-a-refund-policy.md). It only ever upholds what the customer still has.
 */

/** What a version says. Each condition that is null is met by every refund. */
export interface PolicyTerms {
  partnerId: string;
  mode: Mode;
  /** What the points cost the partner, at most. */
  maxCents: number | null;
  /** At most so many refunds of one customer in so many days, this one included. */
  perCustomer: { count: number; days: number } | null;
  /** The refund was reported within so many days of the purchase. */
  withinDays: number | null;
  /** How long operators can still decide otherwise before the points are taken back. */
  graceHours: number;
}

/** One immutable version of a refund policy. */
export type RefundPolicy = { policyId: string } & PolicyTerms;

export const policyLimits = {
  cents: 100_000_000,
  count: 100,
  days: 366,
  graceHours: 30 * 24,
} as const;

export const policyConditions = ['HAS_POINTS', 'MAX_CENTS', 'PER_CUSTOMER', 'WITHIN_DAYS'] as const;
export type PolicyCondition = (typeof policyConditions)[number];

/** A condition, what it allows, and what it was about. HAS_POINTS: at least so many points; others: at most. */
export interface Judged {
  condition: PolicyCondition;
  limit: number;
  value: number;
  isMet: boolean;
}

/** What a policy is asked about. */
export interface PolicyCase {
  /** What the customer would lose. */
  lost: { points: number; liabilityCents: number };
  /** What the customer has that no other open review is about. */
  holds: { points: number; owedCents: number };
  /** When earlier refunds of the customer were left to a policy. */
  earlier: readonly Date[];
  purchasedAt: Date;
  refundedAt: Date;
}

/** How a review was left to a policy, as it is stored with it. */
export interface PolicyRef {
  policyId: string;
  customerId: string;
  /** From then on the points are taken back. */
  upholdsAt: Date;
  conditions: readonly Judged[];
}

const hourMs = 3_600_000;

/** Whether each condition of a policy is met. */
export function judge(policy: PolicyTerms, asked: PolicyCase): Judged[] {
  const { lost, holds } = asked;
  const atMost = (condition: PolicyCondition, limit: number, value: number): Judged => ({
    condition,
    limit,
    value,
    isMet: value <= limit,
  });
  const hasThem = holds.points >= lost.points && holds.owedCents >= lost.liabilityCents;
  const { maxCents, perCustomer, withinDays } = policy;
  return [
    { condition: 'HAS_POINTS', limit: lost.points, value: holds.points, isMet: hasThem },
    ...(maxCents === null ? [] : [atMost('MAX_CENTS', maxCents, lost.liabilityCents)]),
    ...(perCustomer === null
      ? []
      : [atMost('PER_CUSTOMER', perCustomer.count, countIn(perCustomer.days, asked))]),
    ...(withinDays === null ? [] : [atMost('WITHIN_DAYS', withinDays, daysBetween(asked))]),
  ];
}

/** The refunds of the customer in so many days until this one, with it. */
const countIn = (days: number, { earlier, refundedAt }: PolicyCase): number =>
  1 + earlier.filter((at) => refundedAt.getTime() - at.getTime() < days * dayMs).length;

/** The days from the purchase to the refund, a begun one counted in full. */
const daysBetween = ({ purchasedAt, refundedAt }: PolicyCase): number =>
  Math.max(0, Math.ceil((refundedAt.getTime() - purchasedAt.getTime()) / dayMs));

export const upholds = (judged: readonly Judged[]): boolean => judged.every(({ isMet }) => isMet);

/** When the points are taken back of a refund that a policy upholds. */
export const upholdsAtOf = ({ graceHours }: PolicyTerms, refundedAt: Date): Date =>
  new Date(refundedAt.getTime() + graceHours * hourMs);

/** A review that operators decided, with what a policy would have been asked about. */
export interface PastReview {
  reviewId: string;
  externalOrderId: string;
  customerId: string;
  asked: Omit<PolicyCase, 'earlier'>;
  verdict: 'UPHOLD' | 'DISMISS';
}

/** What a policy would have made of past reviews. */
export interface PolicyTest {
  reviews: number;
  upheld: number;
  /** Those that the policy would have upheld, and an operator dismissed. */
  otherwise: PastReview[];
  /** What those cost the partner as customers kept them, in cents: with the policy it would have come back. */
  otherwiseCents: number;
}

/** Replays reviews in the order in which they were opened. */
export function testPolicy(policy: PolicyTerms, reviews: readonly PastReview[]): PolicyTest {
  const leftOf = new Map<string, Date[]>();
  const upheld = reviews.filter(({ customerId, asked }) => {
    const earlier = leftOf.get(customerId) ?? [];
    if (!upholds(judge(policy, { ...asked, earlier }))) return false;
    leftOf.set(customerId, [...earlier, asked.refundedAt]);
    return true;
  });
  const otherwise = upheld.filter(({ verdict }) => verdict === 'DISMISS');
  return {
    reviews: reviews.length,
    upheld: upheld.length,
    otherwise,
    otherwiseCents: otherwise.reduce((sum, { asked }) => sum + asked.lost.liabilityCents, 0),
  };
}
