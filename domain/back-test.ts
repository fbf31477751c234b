import { claimTimes, type EarningRule, selectRule } from './earning-rules.ts';
import { computePoints, computeRemaining } from './points.ts';
import { liabilityCentsOf } from './postings.ts';
import { budgetId, countedIn, leftOfBudget, usedAfter } from './rule-budgets.ts';

/** A purchase as it was reported, without what it earned. */
export interface PastPurchase {
  eventId: string;
  externalOrderId: string;
  integrationId: string;
  currency: string;
  customerId: string;
  subtotalCents: number;
  /** How much of it came back. */
  refundedCents: number;
  /** When a refund after its claim first opened a review, ISO 8601, UTC; null if none did. */
  reviewedAt: string | null;
  /** ISO 8601, UTC. */
  receivedAt: string;
  occurredAt: string | null;
}

/** What a purchase earns, and what that costs, under a set of rules. */
export interface Earnings {
  points: number;
  cents: number;
  /** A one-line calculation. */
  explanation: string;
}

/** The totals over all purchases. */
export interface EarningsTotal {
  points: number;
  cents: number;
}

export interface ComparedPurchase {
  eventId: string;
  externalOrderId: string;
  subtotalCents: number;
  receivedAt: string;
  active: Earnings;
  draft: Earnings;
}

export interface BackTest {
  /** How many purchases the draft would have applied to. */
  purchases: number;
  active: EarningsTotal;
  draft: EarningsTotal;
  /** How many of them would have earned or cost a different amount. */
  differing: number;
  /** How many of them had a review. */
  reviewed: number;
  /** How many of those would not have had it, since their points would still have been on hold. */
  spared: number;
  /** The orders with the largest differences, by cost and then by points, largest first. */
  mostDiffering: ComparedPurchase[];
}

const maxShown = 10;
const nothing: Earnings = { points: 0, cents: 0, explanation: 'no rule applies' };

/**
 * Replays purchases under the active rules, and again with a draft in place of the rule it would
 * replace (docs/concepts/rewards.md, Points), each without what came back of it. Both runs start counting the daily caps of customers, and
 * budgets, with the first purchase they are given, so that the two compare like with like.
 * @param draft its `ruleId` must differ from that of every stored rule
 */
export function createBackTest(active: readonly EarningRule[], draft: EarningRule) {
  const isReplaced = (rule: EarningRule) =>
    rule.currency === draft.currency && rule.integrationId === draft.integrationId;
  const withActive = createReplay(active);
  const withDraft = createReplay([...active.filter((rule) => !isReplaced(rule)), draft]);
  const sums = { active: createSum(), draft: createSum() };
  const most: ComparedPurchase[] = [];
  let purchases = 0;
  let differing = 0;
  let reviewed = 0;
  let spared = 0;

  return {
    /** Replays the next purchase. Purchases must come in the order in which they were received. */
    take(purchase: PastPurchase): void {
      const before = withActive(purchase);
      const after = withDraft(purchase);
      // Replayed all the same: a purchase under another rule uses up the customer's daily cap.
      if (after.ruleId !== draft.ruleId) return;
      purchases += 1;
      if (purchase.reviewedAt !== null) reviewed += 1;
      if (isSpared(draft, purchase)) spared += 1;
      sums.active.add(before.earned);
      sums.draft.add(after.earned);
      const { eventId, externalOrderId, subtotalCents, receivedAt } = purchase;
      const heading = { eventId, externalOrderId, subtotalCents, receivedAt };
      const compared = { ...heading, active: before.earned, draft: after.earned };
      if (!differs(compared)) return;
      differing += 1;
      keepLargest(most, compared);
    },

    result: (): BackTest => ({
      purchases,
      active: sums.active.total(),
      draft: sums.draft.total(),
      differing,
      reviewed,
      spared,
      mostDiffering: [...most],
    }),
  };
}

/** Whether a purchase's points would still have been on hold under a rule when its review was opened. */
function isSpared(rule: EarningRule, purchase: PastPurchase): boolean {
  const { claimableFrom } = claimTimes(rule, purchase);
  const { reviewedAt } = purchase;
  return reviewedAt !== null && claimableFrom !== null && reviewedAt < claimableFrom;
}

/** Replays purchases under a set of rules. Keeps the totals of one day only, and those of budgets. */
function createReplay(rules: readonly EarningRule[]) {
  let day = '';
  /** Points by customer that count towards a daily cap. */
  const dayPoints = new Map<string, number>();
  const budgets = new Map<string, { points: number; months: Record<string, number> }>();

  return (purchase: PastPurchase): { ruleId: string | null; earned: Earnings } => {
    const { integrationId, currency, customerId, receivedAt } = purchase;
    const rule = selectRule(rules, integrationId, currency);
    if (typeof rule === 'string') return { ruleId: null, earned: nothing };
    if (receivedAt.slice(0, 10) !== day) {
      day = receivedAt.slice(0, 10);
      dayPoints.clear();
    }
    const cap = rule.capPerCustomerDayPoints;
    const held = dayPoints.get(customerId) ?? 0;
    const left = cap === null ? null : Math.max(0, cap - held);
    const atMs = Date.parse(purchase.occurredAt ?? receivedAt);
    const budget = rule.budget && countedIn(rule.budget, purchase.occurredAt ?? receivedAt);
    const useId = budget && budgetId(rule, budget);
    const use = budgets.get(useId ?? '') ?? { points: 0, months: {} };
    const ofBudget = budget && leftOfBudget(budget, use);
    const { points, explanation } = earnedOf(rule, purchase, atMs, { left, ofBudget });
    if (cap !== null) dayPoints.set(customerId, held + points);
    if (budget && useId) budgets.set(useId, usedAfter(use, budget, points));
    const cents = liabilityCentsOf(points, rule);
    return { ruleId: rule.ruleId, earned: { points, cents, explanation } };
  };
}

/** What remains of a purchase earns; nothing if all of it came back. */
function earnedOf(
  rule: EarningRule,
  { subtotalCents, refundedCents }: PastPurchase,
  atMs: number,
  { left, ofBudget }: { left: number | null; ofBudget: number | undefined },
): Pick<Earnings, 'points' | 'explanation'> {
  const whole = computePoints(rule, subtotalCents, atMs, left, ofBudget);
  if (refundedCents === 0) return whole;
  if (refundedCents === subtotalCents) return { points: 0, explanation: 'all of it came back' };
  return computeRemaining(rule, whole, refundedCents);
}

/** Its `total` throws a RangeError if a sum is beyond the safe integers. */
function createSum() {
  let points = 0n;
  let cents = 0n;
  const safe = (value: bigint): number => {
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('beyond the safe integers');
    return Number(value);
  };
  return {
    add(earned: EarningsTotal): void {
      points += BigInt(earned.points);
      cents += BigInt(earned.cents);
    },
    total: (): EarningsTotal => ({ points: safe(points), cents: safe(cents) }),
  };
}

function differs({ active, draft }: ComparedPurchase): boolean {
  return active.points !== draft.points || active.cents !== draft.cents;
}

function keepLargest(most: ComparedPurchase[], compared: ComparedPurchase): void {
  const by = ({ active, draft }: ComparedPurchase) => [
    Math.abs(draft.cents - active.cents),
    Math.abs(draft.points - active.points),
  ];
  const [cents = 0, points = 0] = by(compared);
  const place = most.findIndex((one) => {
    const [otherCents = 0, otherPoints = 0] = by(one);
    return cents > otherCents || (cents === otherCents && points > otherPoints);
  });
  most.splice(place === -1 ? most.length : place, 0, compared);
  most.length = Math.min(most.length, maxShown);
}
