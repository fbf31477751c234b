import { DateTime, Duration } from 'luxon';
import type { Mode } from './mode.ts';
import type { RuleBudget } from './rule-budgets.ts';

/**
 * The kinds of earning rule (docs/concepts/rewards.md, Points). Schemas and checks are made from this list;
 * code that handles each kind by itself does not compile, or fails a test, until it handles all.
 */
export const ruleKinds = ['PER_AMOUNT', 'FIXED'] as const;
export type RuleKind = (typeof ruleKinds)[number];

/** The fields that only rules of one kind have. */
interface EarningOf {
  /** `points` for every `unitCents` of the order, rounded down. */
  PER_AMOUNT: { points: number; unitCents: number };
  /** `points` for the order, whatever it costs. */
  FIXED: { points: number };
}

/** The kind of a rule with its own fields. */
export type Earning = { [Kind in RuleKind]: { kind: Kind } & EarningOf[Kind] }[RuleKind];
/** The names of the fields of one kind. */
export type EarningFieldOf<Kind extends RuleKind> = keyof EarningOf[Kind];
/** The names of the fields of all kinds. */
export type EarningField = { [Kind in RuleKind]: EarningFieldOf<Kind> }[RuleKind];

/** The fields that rules of every kind have. */
export interface RuleTerms {
  partnerId: string;
  mode: Mode;
  /** The integration that it applies to; null for all integrations of the partner. */
  integrationId: string | null;
  currency: string;
  minimumOrderCents: number;
  /** From 1, with up to two decimals. */
  multiplier: number;
  /** The multiplier applies in [startsAt, endsAt), ISO 8601; null if it always applies. */
  campaign: { startsAt: string; endsAt: string } | null;
  capPerOrderPoints: number | null;
  capPerCustomerDayPoints: number | null;
  /** What purchases may earn under it, and under others that share it; absent for no limit. */
  budget?: RuleBudget;
  /** ISO 8601 duration. */
  claimWindow: string;
  /** How long after the purchase its points cannot be claimed yet, an ISO 8601 duration; absent if they can at once. */
  holdFor?: string;
  /** What one point costs the partner, in millionths of the currency unit. */
  pointValueMicros: number;
}

/** One immutable version of an earning rule (docs/concepts/rewards.md, Points). */
export type EarningRule = { ruleId: string } & RuleTerms & Earning;

/** Bounds that keep every product within the safe integers. A rule beyond them is never stored. */
export const ruleLimits = {
  points: 100_000,
  unitCents: 100_000_000,
  multiplier: 100,
  capPoints: 1_000_000_000,
  pointValueMicros: 1_000_000_000,
  claimWindowMs: 10 * 366 * 24 * 3_600_000,
  holdForMs: 366 * 24 * 3_600_000,
} as const;

/**
 * Selects the rule that applies: the integration's own, otherwise the partner's (docs/concepts/rewards.md, Points).
 * @param active the active rules of one partner and mode
 */
export function selectRule(
  active: readonly EarningRule[],
  integrationId: string,
  currency: string,
): EarningRule | 'NO_ACTIVE_EARNING_RULE' | 'CURRENCY_MISMATCH' {
  const usable = usableBy(active, integrationId);
  if (usable.length === 0) return 'NO_ACTIVE_EARNING_RULE';
  const matching = usable.filter((rule) => rule.currency === currency);
  return matching.find((rule) => rule.integrationId !== null) ?? matching[0] ?? 'CURRENCY_MISMATCH';
}

/** The currencies in which an integration's orders earn points, in alphabetical order. */
export function activeCurrencies(active: readonly EarningRule[], integrationId: string): string[] {
  return [...new Set(usableBy(active, integrationId).map(({ currency }) => currency))].sort();
}

function usableBy(active: readonly EarningRule[], integrationId: string): EarningRule[] {
  return active.filter(
    (rule) => rule.integrationId === null || rule.integrationId === integrationId,
  );
}

/**
 * Parses a claim window.
 * @param text an ISO 8601 duration such as `P30D` or `PT5S`, longer than zero, at most ten years
 * @throws RangeError with the reason
 */
export const parseClaimWindow = (text: string): Duration =>
  parseDuration(text, ruleLimits.claimWindowMs, 'a claim window', 'ten years');

/**
 * Parses a hold.
 * @param text an ISO 8601 duration such as `P14D`, longer than zero, at most a year
 * @throws RangeError with the reason
 */
export const parseHold = (text: string): Duration =>
  parseDuration(text, ruleLimits.holdForMs, 'a hold', 'a year');

function parseDuration(text: string, maxMs: number, name: string, maxWords: string): Duration {
  const duration = Duration.fromISO(text);
  if (!duration.isValid) throw new RangeError(`"${text}" is not an ISO 8601 duration`);
  const lengthMs = duration.toMillis();
  // A negative part could end it before it starts: P1M-29D, counted from 1 February.
  const counts = lengthMs >= 1 && !text.includes('-');
  if (!counts || lengthMs > maxMs) {
    throw new RangeError(`${name} must be longer than zero and at most ${maxWords}`);
  }
  return duration;
}

/**
 * When a claim window ends. Days and months are counted in UTC.
 * @param startsAt ISO 8601
 * @returns ISO 8601, UTC, with milliseconds
 */
export const claimExpiry = (startsAt: string, claimWindow: string): string =>
  timeAfter(startsAt, parseClaimWindow(claimWindow));

/** When a purchase can be claimed, and until when. */
export interface ClaimTimes {
  /** ISO 8601, UTC; null if it can be claimed at once. */
  claimableFrom: string | null;
  /** ISO 8601, UTC. */
  claimExpiresAt: string;
}

/**
 * When a purchase can be claimed: its hold begins when it happened, and its claim window when the hold is over, but
 * not before it was reported. A hold that is over by then is none.
 * @param receivedAt ISO 8601
 * @param occurredAt ISO 8601; null if it happened when it was reported
 */
export function claimTimes(
  { claimWindow, holdFor }: Pick<RuleTerms, 'claimWindow' | 'holdFor'>,
  { receivedAt, occurredAt }: { receivedAt: string; occurredAt: string | null },
): ClaimTimes {
  const heldUntil =
    holdFor === undefined ? null : timeAfter(occurredAt ?? receivedAt, parseHold(holdFor));
  const isHeld = heldUntil !== null && Date.parse(heldUntil) > Date.parse(receivedAt);
  const claimableFrom = isHeld ? heldUntil : null;
  return { claimableFrom, claimExpiresAt: claimExpiry(claimableFrom ?? receivedAt, claimWindow) };
}

const timeAfter = (startsAt: string, duration: Duration): string =>
  DateTime.fromISO(startsAt, { zone: 'utc' }).plus(duration).toJSDate().toISOString();
