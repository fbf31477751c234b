import type { CustomerBalance, Draft } from './draft.ts';
import { fundWaiting, payerIn, postEntry, references, type Terms } from './facts.ts';
import type { Mode } from './mode.ts';
import { dueEnd, endingOf, nextAtOf, type PointsEnd, type PointsLife } from './points-end.ts';
import { pointsEndPostings } from './postings.ts';
import { type Announcement, withoutReward } from './webhooks.ts';

/** The facts about points that end, each decided on a draft, as those about rewards are (domain/facts.ts). */

/** The newest order of a customer, by which a shop knows them. */
export interface NewestOrder {
  rewardId: string;
  externalOrderId: string;
  integrationId: string;
}

/** What a notice or an end was decided on: anything since leaves it to the next look. */
export interface SeenEnd {
  customerId: string;
  newest: NewestOrder;
  isEarly?: boolean;
}

/** Nothing of a customer's points can end until their next activity. Otherwise nothing changes. */
export function forgetEnd(draft: Draft, customerId: string, { at }: Pick<Terms, 'at'>): void {
  const customer = draft.customers.get(customerId);
  if (customer?.ending === undefined) return;
  if (dueEnd(draft.wallet?.pointsEnd, customer, at).do !== 'FORGET') return;
  draft.setCustomer({ ...customer, ending: { ...customer.ending, nextAt: null } });
}

/**
 * A customer was told when their points end. One who was active since, or was told before, stays as they are.
 * @param told the notice, and the end that it named
 * @returns whether it counts
 */
export function noteEndTold(
  draft: Draft,
  { customerId, newest, isEarly }: SeenEnd,
  told: { nth: number; endsAt: Date },
  terms: Terms,
): boolean {
  const customer = draft.customers.get(customerId);
  if (customer?.ending === undefined) return false;
  const due = dueEnd(draft.wallet?.pointsEnd, customer, terms.at, isEarly);
  if (due.do !== 'TELL' || due.nth !== told.nth) return false;
  const { endsAt } = told;
  const nth = told.nth + 1;
  const ending = { ...customer.ending, endsAt, told: nth, nextAt: nextAtOf(endsAt, nth) };
  draft.setCustomer({ ...customer, ending });
  const { points, cents } = endingOf(customer);
  draft.announce(
    announced(customer, newest, terms.at, {
      type: 'points.ending',
      cause: `${customerId} ${endsAt.toISOString()} ${nth}`,
      data: { points, liabilityCents: cents, endsAt: endsAt.toISOString(), days: due.days },
    }),
  );
  return true;
}

/**
 * The points of a customer end, whose date has come and who was told: they are taken off, and their money goes back to
 * the partner, who may fund rewards with it. What is held at a checkout, and what was there before the setting, stays.
 * @returns the points that ended; 0 if it is not the time
 */
export function endPointsOf(
  draft: Draft,
  { customerId, newest, isEarly }: SeenEnd,
  terms: Terms,
): number {
  const customer = draft.customers.get(customerId);
  const { pointsEnd: setting } = draft.wallet ?? {};
  if (customer?.ending === undefined || !setting) return 0;
  if (dueEnd(setting, customer, terms.at, isEarly).do !== 'END') return 0;
  const { partnerId, mode, ending } = customer;
  const ends = endingOf(customer);
  const reference = references.end(customerId, ending.endsAt);
  postEntry(draft, { partnerId, mode }, terms, {
    kind: 'POINTS_END',
    reference,
    postings: pointsEndPostings(payerIn(draft), customerId, ends),
  });
  const after = draft.customers.get(customerId) ?? customer;
  draft.setCustomer({
    ...after,
    ended: { after: customer.ended?.after ?? setting.since, until: terms.at },
    ending: { ...ending, kept: after.ending?.kept ?? ending.kept, nextAt: null },
  });
  draft.announce(
    announced(customer, newest, terms.at, {
      type: 'points.ended',
      cause: reference,
      data: {
        points: ends.points,
        liabilityCents: ends.cents,
        endedAt: terms.at.toISOString(),
        leftPoints: after.points,
      },
    }),
  );
  fundWaiting(draft, terms);
  return ends.points;
}

const announced = (
  { partnerId, mode, customerId }: CustomerBalance,
  newest: NewestOrder,
  at: Date,
  what: Pick<Announcement, 'type' | 'cause' | 'data'>,
): Announcement => ({
  ...what,
  partnerId,
  mode,
  at,
  ...withoutReward,
  data: { customerId, ...newest, ...what.data },
});

/** A version of the setting, as it is stored: nothing changes it. */
export interface PointsEndSetting {
  /** `pte_…` */
  _id: string;
  partnerId: string;
  mode: Mode;
  /** Null if points do not end from then on. */
  after: PointsLife | null;
  since: Date;
  /** The one before it; null for the first. */
  replaces: string | null;
}

/**
 * A partner lets points end after another time, or no longer. Whatever customers have by then never ends.
 * @param after null if points do not end from now on
 * @returns the setting in force, or null; the same if that is what is in force already
 */
export function setPointsEnd(
  draft: Draft,
  { settingId, after, mode }: { settingId: string; after: PointsLife | null; mode: Mode },
  { at }: Pick<Terms, 'at'>,
): PointsEnd | null {
  const { wallet, partnerId } = draft;
  if (wallet === null) throw new Error(`${partnerId} has no wallet`);
  const before = wallet.pointsEnd ?? null;
  if ((before?.after ?? null) === after) return before;
  const setting = after === null ? null : { settingId, after, since: at };
  draft.wallet = { ...wallet, pointsEnd: setting };
  const stored: PointsEndSetting = {
    _id: settingId,
    partnerId,
    mode,
    after,
    since: at,
    replaces: before?.settingId ?? null,
  };
  draft.insert('pointsEnds', stored);
  return setting;
}
