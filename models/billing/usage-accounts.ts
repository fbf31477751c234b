/** The accounts of the usage chain, all of one partner. */

/** A billing period of a subscription, or, without one (null), a calendar month. */
export interface PeriodRef {
  subscriptionId: string | null;
  /** ISO 8601. */
  start: string;
}

const none = 'none';

export const usageAccounts = {
  /** Points counted in the period. */
  period: ({ subscriptionId, start }: PeriodRef) => `period:${subscriptionId ?? none}:${start}`,
  /** 1 once the period is closed. */
  closed: ({ subscriptionId, start }: PeriodRef) => `closed:${subscriptionId ?? none}:${start}`,
  /** Points of the rewards funded on a UTC day. */
  day: (day: string) => `day:${day}`,
  /** The cost of those rewards to the partner. */
  dayCents: (day: string) => `dayCents:${day}`,
  /** The credit of the subscription. */
  credit: (subscriptionId: string) => `credit:${subscriptionId}`,
};

/** The day of a `day:` account; undefined for any other account. */
export function dayIn(account: string): string | undefined {
  return /^day:(.+)$/.exec(account)?.[1];
}

/** The period of a `period:` account; undefined for any other account. */
export function periodOf(account: string): PeriodRef | undefined {
  const [, subscriptionId, start] = /^period:([^:]+):(.+)$/.exec(account) ?? [];
  if (subscriptionId === undefined || start === undefined) return undefined;
  return { subscriptionId: subscriptionId === none ? null : subscriptionId, start };
}
