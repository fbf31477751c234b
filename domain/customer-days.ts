import type { Known } from './known.ts';
import type { Mode } from './mode.ts';
import type { Redemption } from './redemption.ts';
import type { Reward } from './reward.ts';
import { dayMs } from './utc-days.ts';

/** A day of a customer, with what counts against a daily limit. */
export interface CustomerDay {
  /** The points that the customer earned by purchases of the day, or redeemed on it. */
  of: 'EARNED' | 'REDEEMED';
  mode: Mode;
  customerId: string;
  /** `yyyy-mm-dd` in the partner's time zone. */
  day: string;
}

/** The points of a day, as stored. */
export interface CustomerDayPoints {
  /** `customerDayId` */
  _id: string;
  partnerId: string;
  points: number;
  expiresAt: Date;
}

/** How long a day is kept: purchases may be reported late. */
const keptMs = 400 * dayMs;

export const customerDayId = ({ of, mode, customerId, day }: CustomerDay): string =>
  `${of}/${mode}/${customerId}/${day}`;

/** The day that a reward's points count in; none without a daily cap. */
export const earningDayOf = ({
  mode,
  customerId,
  customerDay: day,
}: Pick<Reward, 'mode' | 'customerId' | 'customerDay'>): CustomerDay[] =>
  day === null ? [] : [{ of: 'EARNED', mode, customerId, day }];

/** The day that a redemption's points count in; none without a daily limit. */
export const redemptionDayOf = ({
  mode,
  customerId,
  customerDay: day,
}: Pick<Redemption, 'mode' | 'customerId' | 'customerDay'>): CustomerDay[] =>
  day === null ? [] : [{ of: 'REDEEMED', mode, customerId, day }];

/** The part of a draft that has customers' days. */
interface Days {
  partnerId: string;
  customerDays: Known<CustomerDayPoints>;
}

/** The points that count in the days, of which there is one or none. */
export const countedOn = ({ customerDays }: Days, days: readonly CustomerDay[]): number =>
  days.reduce((sum, day) => sum + (customerDays.get(customerDayId(day))?.points ?? 0), 0);

/** Counts points in the days, or takes them back if negative. A day never has less than none. */
export function countOn(
  { partnerId, customerDays }: Days,
  days: readonly CustomerDay[],
  points: number,
): void {
  for (const day of days) {
    const _id = customerDayId(day);
    const before = customerDays.get(_id)?.points ?? 0;
    if (before + points === before || (before === 0 && points < 0)) continue;
    const expiresAt = new Date(Date.parse(day.day) + keptMs);
    customerDays.set(_id, { _id, partnerId, points: Math.max(0, before + points), expiresAt });
  }
}
