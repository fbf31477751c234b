import { calendarMonth, type Period, periodContaining, useOf } from './billing.ts';
import type { Draft } from './draft.ts';
import type { CountedIn, Reward } from './reward.ts';
import type { Subscription } from './subscription.ts';

/** What metering has to know of a subscription. */
export type MeteredSubscription = Pick<Subscription, '_id' | 'anchorAt' | 'interval' | 'terms'>;

/** The total of a period right before and after one reward was counted in it. */
export interface Metered {
  subscriptionId: string;
  /** ISO 8601. */
  periodStart: string;
  includedPoints: number;
  beforePoints: number;
  afterPoints: number;
}

/**
 * @param ofId of the subscription, or of a partner without one
 * @param start ISO 8601
 */
export const usagePeriodId = (ofId: string, start: string): string => `${ofId}/${start}`;

/** The period that contains a time, and its id. Without a subscription, it is a calendar month. */
export function usagePeriodAt(
  partnerId: string,
  subscription: MeteredSubscription | null,
  at: string,
): Period & { _id: string; subscriptionId: string | null } {
  const period = subscription
    ? periodContaining(subscription.anchorAt.toISOString(), subscription.interval, at)
    : calendarMonth(at);
  const subscriptionId = subscription?._id ?? null;
  return {
    ...period,
    subscriptionId,
    _id: usagePeriodId(subscriptionId ?? partnerId, period.start),
  };
}

/**
 * Counts the points of a funded LIVE reward in the period of a time or, if that is billed already, in
 * the first later one that is not (docs/concepts/billing.md).
 * @returns where it was counted, and the period's total around it; null without a subscription
 */
export function countUsage(
  draft: Draft,
  { partnerId, points, liabilityCents }: Reward,
  subscription: MeteredSubscription | null,
  at: Date,
): { countedIn: CountedIn; metered: Metered | null } {
  let { _id, subscriptionId, start, end } = usagePeriodAt(
    partnerId,
    subscription,
    at.toISOString(),
  );
  while (draft.periods.get(_id)?.billedOn) {
    ({ _id, subscriptionId, start, end } = usagePeriodAt(partnerId, subscription, end));
  }
  const before = draft.periods.get(_id)?.points ?? 0;
  const afterPoints = before + points;
  const period = { _id, partnerId, subscriptionId, start, points: afterPoints, billedOn: null };
  draft.periods.set(_id, period);
  const countedIn = { periodId: _id, day: at.toISOString().slice(0, 10) };
  draft.addToDay(countedIn, { points, cents: liabilityCents });
  return {
    countedIn,
    metered: subscription && {
      subscriptionId: subscription._id,
      periodStart: start,
      includedPoints: subscription.terms.includedPoints,
      beforePoints: before,
      afterPoints,
    },
  };
}

/**
 * Gives the points of a cancelled or expired reward back to the period and day that they were counted
 * in. If the period was billed, the subscription is credited with the overage saved.
 */
export function giveBackUsage(draft: Draft, { countedIn, points, liabilityCents }: Reward): void {
  if (countedIn === null) return;
  const period = draft.periods.get(countedIn.periodId);
  if (period === undefined) throw new Error(`the period ${countedIn.periodId} was not read`);
  const after = period.points - points;
  draft.periods.set(period._id, { ...period, points: after });
  draft.addToDay(countedIn, { points: -points, cents: -liabilityCents });
  const { billedOn, subscriptionId } = period;
  if (billedOn === null || subscriptionId === null) return;
  const savedCents =
    useOf(period.points, billedOn).overageCents - useOf(after, billedOn).overageCents;
  const subscription = draft.subscriptions.get(subscriptionId);
  if (subscription === undefined) throw new Error(`${subscriptionId} was not read`);
  const creditCents = subscription.creditCents + savedCents;
  draft.subscriptions.set(subscriptionId, { ...subscription, creditCents });
}
