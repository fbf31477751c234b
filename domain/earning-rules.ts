import type { Mode } from './events.ts';

/** One immutable version of how a partner's purchases earn points (domain, Points). */
export interface EarningRule {
  ruleId: string;
  partnerId: string;
  mode: Mode;
  /** The integration it is for; null for all integrations of the partner. */
  integrationId: string | null;
  currency: string;
  kind: 'PER_AMOUNT' | 'FIXED';
  /** Points per `unitCents` (PER_AMOUNT), or per order (FIXED). */
  points: number;
  unitCents: number;
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
 * Picks the rule that applies: the integration's own before the partner's (domain, Points).
 * @param active the active rules of one partner and mode
 */
export function selectRule(
  active: readonly EarningRule[],
  integrationId: string,
  currency: string,
): EarningRule | 'NO_ACTIVE_EARNING_RULE' | 'CURRENCY_MISMATCH' {
  const usable = active.filter(
    (rule) => rule.integrationId === null || rule.integrationId === integrationId,
  );
  if (usable.length === 0) return 'NO_ACTIVE_EARNING_RULE';
  const matching = usable.filter((rule) => rule.currency === currency);
  return matching.find((rule) => rule.integrationId !== null) ?? matching[0] ?? 'CURRENCY_MISMATCH';
}
