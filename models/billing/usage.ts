import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { dayOf, daysUntil, type PeriodTerms, useOf } from '../../domain/billing.ts';
import type { Posting } from '../../domain/postings.ts';
import { newId } from '../../platform/ids.ts';
import { chainHasher, createChain, references, usualChainCache } from '../ledger/index.ts';
import type { SubscriptionDoc } from '../schemas/billing.ts';
import {
  type ChainedPosting,
  type DayTotals,
  dayIndex,
  type EntryDoc,
} from '../schemas/entries.ts';
import type { Models } from '../schemas/index.ts';
import { createPeriods } from './subscriptions.ts';

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

/** The fields of a funded LIVE reward that metering needs. */
export interface MeteredReward {
  partnerId: string;
  rewardId: string;
  points: number;
  liabilityCents: number;
}

/** The total of a period right before and after one reward was counted in it. */
export interface Metered {
  subscriptionId: string;
  /** ISO 8601. */
  periodStart: string;
  includedPoints: number;
  beforePoints: number;
  afterPoints: number;
}

/** One period of one subscription. */
export interface SubscriptionPeriod {
  partnerId: string;
  subscriptionId: string;
  /** ISO 8601. */
  start: string;
}

/** How many partners' first days a process caches. */
const maxFirstDays = 10_000;

/** The refusal of an append: the period is closed. */
type Closed = 'CLOSED';
const closed: { refused: Closed } = { refused: 'CLOSED' };

export type Usage = ReturnType<typeof createUsage>;

const points = (account: string, amount: number): Posting => ({ account, unit: 'POINTS', amount });
const cents = (account: string, amount: number): Posting => ({ account, unit: 'CENTS', amount });

/**
 * The metering of usage (docs/domain.md, Plans, usage and billing). Whether a period is closed is
 * read together with its total, and whatever finds it open writes to both accounts: so closing and
 * counting at the same time compete for the same place in a chain, and the loser decides again.
 * @param maxRemembered how many accounts, and partners' first days, are cached
 */
export function createUsage(models: Models, customerHashKey: KeyObject, maxRemembered?: number) {
  const periodAt = createPeriods(models);
  const firstDays = new LRUCache<string, string>({ max: maxRemembered ?? maxFirstDays });
  // Running totals, not double entry: they need not balance, and zeros are kept.
  const chain = createChain(models.usageEntries, {
    hash: chainHasher(customerHashKey),
    newId: () => newId('usageEntry'),
    cache: usualChainCache(maxRemembered),
    prepare: (postings) => [...postings],
    also: (postings) => {
      const day = totalsOfDay(postings);
      return day ? { day } : {};
    },
  });

  /**
   * The terms that a closed period was billed on. They are in the subscription until the invoice
   * has them.
   */
  async function termsOfClosed(partnerId: string, subscriptionId: string, start: string) {
    const subscription = await models.subscriptions
      .findOne({ partnerId, _id: subscriptionId })
      .orFail();
    if (subscription.currentPeriodStart.toISOString() === start && subscription.closing) {
      return subscription.terms;
    }
    const { terms } = await models.invoices
      .findOne({ partnerId, subscriptionId, periodStart: new Date(start), kind: 'PERIOD' })
      .orFail();
    if (terms === null) throw new Error('the invoice of the closed period has no terms');
    return terms;
  }

  /** @param terms of the period, once it is known to be closed */
  async function takeBack(counted: EntryDoc, at: string, terms?: PeriodTerms) {
    const { partnerId, rewardId } = counted;
    const refs = counted.postings.flatMap(({ account }) => periodOf(account) ?? []);
    const [ref] = refs;
    if (ref === undefined) throw new Error(`${counted.reference} counts in no period`);
    const periodAccount = usageAccounts.period(ref);
    const closedAccount = usageAccounts.closed(ref);
    // A reversal is made from the entry it reverses, whatever the caller says about the reward.
    const reversed = counted.postings.map(({ account, unit, amount }) => ({
      account,
      unit,
      amount: 0 - amount,
    }));
    const credit = ref.subscriptionId === null ? [] : [usageAccounts.credit(ref.subscriptionId)];
    return await chain.append<Closed>({
      partnerId,
      reference: references.usageGivenBack(rewardId ?? ''),
      rewardId,
      at: new Date(at),
      accounts: [...reversed.map(({ account }) => account), ...credit],
      decide(balanceOf) {
        if (balanceOf(closedAccount) === 0) return { kind: 'GIVE_BACK', postings: reversed };
        if (terms === undefined) return closed;
        const amount = reversed.find(({ account }) => account === periodAccount)?.amount ?? 0;
        const before = balanceOf(periodAccount);
        const creditCents =
          useOf(before, terms).overageCents - useOf(before + amount, terms).overageCents;
        return {
          kind: 'GIVE_BACK',
          postings: [
            ...reversed.filter(({ account }) => account !== closedAccount),
            ...credit.map((account) => cents(account, creditCents)),
          ],
        };
      },
    });
  }

  /** The first day with usage, cached once there is one, since it never changes. */
  async function firstDayOf(partnerId: string): Promise<string | undefined> {
    const known = firstDays.get(partnerId);
    if (known !== undefined) return known;
    const first = await chain.model.collection.findOne<Required<Pick<EntryDoc, 'day'>>>(
      { partnerId, 'day.of': { $gt: '' } },
      { projection: { 'day.of': 1 }, sort: { 'day.of': 1, 'day.seq': 1 }, hint: dayIndex },
    );
    if (first) firstDays.set(partnerId, first.day.of);
    return first?.day.of;
  }

  return {
    chain,

    /**
     * Counts a funded LIVE reward, once, in the period in which it was funded or, if that is
     * closed, in the first later one that is not.
     * @param fundedAt ISO 8601
     * @returns the resulting total of the period; null without a subscription
     */
    async meter(reward: MeteredReward, fundedAt: string): Promise<Metered | null> {
      const { partnerId, rewardId } = reward;
      const day = dayOf(fundedAt);
      for (let at = fundedAt; ; ) {
        const { subscription, period } = await periodAt(partnerId, at);
        const ref = { subscriptionId: subscription?._id ?? null, start: period.start };
        const closedAccount = usageAccounts.closed(ref);
        const postings = [
          points(usageAccounts.period(ref), reward.points),
          points(closedAccount, 0),
          points(usageAccounts.day(day), reward.points),
          cents(usageAccounts.dayCents(day), reward.liabilityCents),
        ];
        const outcome = await chain.append<Closed>({
          partnerId,
          reference: references.usage(rewardId),
          rewardId,
          at: new Date(fundedAt),
          accounts: postings.map(({ account }) => account),
          decide: (balanceOf) =>
            balanceOf(closedAccount) > 0 ? closed : { kind: 'USAGE', postings },
        });
        if (!('refused' in outcome)) return meteredOf(outcome.entry, subscription, ref);
        at = period.end;
      }
    },

    /**
     * Returns the points of a cancelled or expired reward, once, to the period and day they were
     * counted in. If the period is closed, the same entry credits the subscription with the overage
     * saved. A reward that was never counted has nothing to return.
     * @param at ISO 8601
     */
    async giveBack(
      { partnerId, rewardId }: Pick<MeteredReward, 'partnerId' | 'rewardId'>,
      at: string,
    ): Promise<void> {
      const counted = await chain.find(partnerId, references.usage(rewardId));
      if (counted === null) return;
      const outcome = await takeBack(counted, at);
      if (!('refused' in outcome)) return;
      const ref = counted.postings.flatMap(({ account }) => periodOf(account) ?? [])[0];
      if (!ref?.subscriptionId) throw new Error('a period without a subscription was closed');
      await takeBack(counted, at, await termsOfClosed(partnerId, ref.subscriptionId, ref.start));
    },

    /**
     * Closes a period, once; from then on, no points are counted in it.
     * @returns the points counted in it by then
     */
    async closePeriod(period: SubscriptionPeriod, at: string): Promise<number> {
      const { partnerId, subscriptionId, start } = period;
      const periodAccount = usageAccounts.period(period);
      const postings = [points(periodAccount, 0), points(usageAccounts.closed(period), 1)];
      const outcome = await chain.append({
        partnerId,
        reference: references.periodClosed(subscriptionId, start),
        rewardId: null,
        at: new Date(at),
        accounts: postings.map(({ account }) => account),
        decide: () => ({ kind: 'CLOSE', postings }),
      });
      return amountIn(outcome, periodAccount).balanceAfter;
    },

    /**
     * Uses a subscription's credit for an invoice, once.
     * @param mostCents the most that the invoice can use
     * @returns cents used, not negative
     */
    async useCredit(
      { partnerId, subscriptionId }: Pick<SubscriptionPeriod, 'partnerId' | 'subscriptionId'>,
      invoiceId: string,
      mostCents: number,
      at: string,
    ): Promise<number> {
      const account = usageAccounts.credit(subscriptionId);
      const outcome = await chain.append({
        partnerId,
        reference: references.creditUsed(invoiceId),
        rewardId: null,
        at: new Date(at),
        accounts: [account],
        decide: (balanceOf) => ({
          kind: 'CREDIT_USED',
          postings: [cents(account, 0 - Math.min(mostCents, balanceOf(account)))],
        }),
      });
      return 0 - amountIn(outcome, account).amount;
    },

    /** The points counted in a period. One indexed read, like the reads below. */
    async periodPoints(partnerId: string, period: PeriodRef): Promise<number> {
      return await chain.balanceOf(partnerId, usageAccounts.period(period));
    },

    /** What the subscription has to its credit. */
    async creditCents(partnerId: string, subscriptionId: string): Promise<number> {
      return await chain.balanceOf(partnerId, usageAccounts.credit(subscriptionId));
    },

    /**
     * The usage of each of the last `count` days, oldest first, today last, without days before the
     * partner's first usage. One read, of one entry per day.
     * @param at ISO 8601
     */
    async lastDays(partnerId: string, at: string, count: number): Promise<DayUse[]> {
      const days = daysUntil(at, count);
      const [first = '', last = ''] = [days[0], days.at(-1)];
      const [newest, firstUse] = await Promise.all([
        chain.model.collection
          .aggregate<DayUse & { _id: string }>(
            [
              { $match: { partnerId, 'day.of': { $gte: first, $lte: last } } },
              { $sort: { partnerId: 1, 'day.of': -1, 'day.seq': -1 } },
              {
                $group: {
                  _id: '$day.of',
                  points: { $first: '$day.points' },
                  cents: { $first: '$day.cents' },
                },
              },
            ],
            { hint: dayIndex },
          )
          .toArray(),
        firstDayOf(partnerId),
      ]);
      const useOn = new Map(newest.map(({ _id, points, cents }) => [_id, { points, cents }]));
      const start = days.findIndex((day) => useOn.has(day) || (firstUse && day >= firstUse));
      return start === -1 ? [] : days.slice(start).map((day) => useOn.get(day) ?? noUse);
    },
  };
}

/** The usage of a day. */
export interface DayUse {
  points: number;
  cents: number;
}

const noUse: DayUse = { points: 0, cents: 0 };

/** The totals of an entry's day including the entry; undefined if it does not count in a day. */
function totalsOfDay(
  postings: readonly Pick<ChainedPosting, 'account' | 'seq' | 'balanceAfter'>[],
): DayTotals | undefined {
  const counted = postings.find(({ account }) => dayIn(account) !== undefined);
  if (counted === undefined) return undefined;
  const of = dayIn(counted.account) ?? '';
  const paid = postings.find(({ account }) => account === usageAccounts.dayCents(of));
  return { of, seq: counted.seq, points: counted.balanceAfter, cents: paid?.balanceAfter ?? 0 };
}

function amountIn(outcome: { entry: EntryDoc | null } | { refused: never }, account: string) {
  const entry = 'entry' in outcome ? outcome.entry : null;
  const posting = entry?.postings.find((one) => one.account === account);
  if (posting === undefined) throw new Error(`no posting in ${account}`);
  return posting;
}

function meteredOf(
  entry: EntryDoc | null,
  subscription: Pick<SubscriptionDoc, '_id' | 'terms'> | null,
  { start }: { start: string },
): Metered | null {
  if (subscription === null || entry === null) return null;
  const subscriptionId = subscription._id;
  const counted = entry.postings.find(({ account }) => periodOf(account) !== undefined);
  if (counted === undefined) return null;
  const { amount, balanceAfter } = counted;
  return {
    subscriptionId,
    periodStart: start,
    includedPoints: subscription.terms.includedPoints,
    beforePoints: balanceAfter - amount,
    afterPoints: balanceAfter,
  };
}
