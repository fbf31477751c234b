import type { Mode } from './mode.ts';

/**
 * The kinds of earning rule (docs/domain.md, Points). The one list: schemas and checks are made from it,
 * and what is written out elsewhere does not compile, or fails a test, until it handles every kind.
 */
export const ruleKinds = ['PER_AMOUNT', 'FIXED'] as const;
export type RuleKind = (typeof ruleKinds)[number];

/** What a rule of each kind has of its own. */
interface EarningOf {
  /** `points` for every `unitCents` of the order, rounded down. */
  PER_AMOUNT: { points: number; unitCents: number };
  /** `points` for the order, whatever it costs. */
  FIXED: { points: number };
}

/** How a rule earns: its kind, with what that kind has. */
export type Earning = { [Kind in RuleKind]: { kind: Kind } & EarningOf[Kind] }[RuleKind];
/** What one kind has of its own, by name. */
export type EarningFieldOf<Kind extends RuleKind> = keyof EarningOf[Kind];
/** Whatever any kind has of its own, by name. */
export type EarningField = { [Kind in RuleKind]: EarningFieldOf<Kind> }[RuleKind];

/** What a rule has, whatever its kind. */
export interface RuleTerms {
  partnerId: string;
  mode: Mode;
  /** The integration it is for; null for all integrations of the partner. */
  integrationId: string | null;
  currency: string;
  minimumOrderCents: number;
  multiplier: number;
  /** The multiplier holds in [startsAt, endsAt); null means it always holds. ISO 8601. */
  campaign: { startsAt: string; endsAt: string } | null;
  capPerOrderPoints: number | null;
  capPerCustomerDayPoints: number | null;
  /** ISO 8601 duration. */
  claimWindow: string;
  /** What one point costs the partner, in millionths of the currency unit. */
  pointValueMicros: number;
}

/** One immutable version of how a partner's purchases earn points (docs/domain.md, Points). */
export type EarningRule = { ruleId: string } & RuleTerms & Earning;

/** The bounds that keep every product inside the safe integers; a rule outside them is never stored. */
export const ruleLimits = {
  points: 100_000,
  unitCents: 100_000_000,
  multiplier: 100,
  capPoints: 1_000_000_000,
  pointValueMicros: 1_000_000_000,
  claimWindowMs: 10 * 366 * 24 * 3_600_000,
} as const;

/**
 * Picks the rule that applies: the integration's own before the partner's (docs/domain.md, Points).
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

/** The currencies that an integration's orders earn in, in alphabetical order. */
export function activeCurrencies(active: readonly EarningRule[], integrationId: string): string[] {
  return [...new Set(usableBy(active, integrationId).map(({ currency }) => currency))].sort();
}

function usableBy(active: readonly EarningRule[], integrationId: string): EarningRule[] {
  return active.filter(
    (rule) => rule.integrationId === null || rule.integrationId === integrationId,
  );
}
