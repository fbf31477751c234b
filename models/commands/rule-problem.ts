import { DateTime } from 'luxon';
import { parseClaimWindow } from '../../domain/claim-window.ts';
import { type EarningRule, ruleLimits } from '../../domain/earning-rules.ts';
import { maxSubtotalCents } from '../../domain/points.ts';

type Bounded =
  | 'points'
  | 'unitCents'
  | 'minimumOrderCents'
  | 'multiplier'
  | 'capPerOrderPoints'
  | 'capPerCustomerDayPoints'
  | 'pointValueMicros';

const ranges: Record<Bounded, { min: number; max: number }> = {
  points: { min: 0, max: ruleLimits.points },
  unitCents: { min: 1, max: ruleLimits.unitCents },
  minimumOrderCents: { min: 0, max: maxSubtotalCents },
  multiplier: { min: 1, max: ruleLimits.multiplier },
  capPerOrderPoints: { min: 0, max: ruleLimits.capPoints },
  capPerCustomerDayPoints: { min: 0, max: ruleLimits.capPoints },
  pointValueMicros: { min: 0, max: ruleLimits.pointValueMicros },
};

/** A date-time that every reader understands the same: seconds and a timezone are spelled out. */
const dateTimeWithZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/;

/** What keeps a rule from being stored, in words that name the field; undefined when nothing does. */
export function ruleProblem(
  rule: Pick<EarningRule, Bounded | 'campaign' | 'claimWindow'>,
): string | undefined {
  for (const [field, { min, max }] of Object.entries(ranges)) {
    const value = rule[field as Bounded];
    if (value === null) continue;
    if (!Number.isSafeInteger(value) || value < min || value > max) {
      return `${field} must be an integer from ${min} to ${max}`;
    }
  }
  return claimWindowProblem(rule.claimWindow) ?? campaignProblem(rule.campaign);
}

function claimWindowProblem(claimWindow: string): string | undefined {
  try {
    parseClaimWindow(claimWindow);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return `claimWindow: ${error.message}`;
    throw error;
  }
}

function campaignProblem(campaign: EarningRule['campaign']): string | undefined {
  if (campaign === null) return undefined;
  for (const field of ['startsAt', 'endsAt'] as const) {
    const text = campaign[field];
    if (!dateTimeWithZone.test(text) || !DateTime.fromISO(text).isValid) {
      return `campaign.${field} must be an ISO 8601 date-time with a timezone offset`;
    }
  }
  if (Date.parse(campaign.endsAt) <= Date.parse(campaign.startsAt)) {
    return 'campaign.endsAt must be after campaign.startsAt';
  }
  return undefined;
}
