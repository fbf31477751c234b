import { DateTime } from 'luxon';
import { parseClaimWindow } from '../../domain/claim-window.ts';
import {
  type Earning,
  type EarningField,
  type EarningFieldOf,
  type RuleKind,
  type RuleTerms,
  ruleLimits,
} from '../../domain/earning-rules.ts';
import { largestReward, maxSubtotalCents } from '../../domain/points.ts';

/** Gives the end of a sentence that begins with the field's name, or undefined for a right value. */
type Check = (value: unknown) => string | undefined;

function integer(min: number, max: number): Check {
  return (value) => {
    if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max)
      return undefined;
    return `must be an integer from ${min} to ${max}`;
  };
}

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? undefined : check(value);

/** Exactly the fields that each kind has, and what each must be. */
const earningChecks: { [Kind in RuleKind]: Record<EarningFieldOf<Kind>, Check> } = {
  PER_AMOUNT: {
    points: integer(0, ruleLimits.points),
    unitCents: integer(1, ruleLimits.unitCents),
  },
  FIXED: { points: integer(0, ruleLimits.points) },
};

const earningFields = [
  ...new Set(Object.values(earningChecks).flatMap((checks) => Object.keys(checks))),
] as EarningField[];

/** The numbers that every rule has. */
const termChecks = {
  minimumOrderCents: integer(0, maxSubtotalCents),
  multiplier: integer(1, ruleLimits.multiplier),
  capPerOrderPoints: orNull(integer(0, ruleLimits.capPoints)),
  capPerCustomerDayPoints: orNull(integer(0, ruleLimits.capPoints)),
  pointValueMicros: integer(0, ruleLimits.pointValueMicros),
} satisfies Partial<Record<keyof RuleTerms, Check>>;

/** A date-time that every reader understands the same: seconds and a timezone are spelled out. */
const dateTimeWithZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/;

/** What keeps a rule from being stored, in words that name the field; undefined when nothing does. */
export function ruleProblem(rule: RuleTerms & Earning): string | undefined {
  return (
    earningProblem(rule) ??
    firstProblem(rule, termChecks) ??
    claimWindowProblem(rule.claimWindow) ??
    campaignProblem(rule.campaign) ??
    overflowProblem(rule)
  );
}

/** A rule that is stored can be used: whatever is bought, no sum leaves the safe integers. */
function overflowProblem(rule: RuleTerms & Earning): string | undefined {
  try {
    largestReward({ ruleId: '', ...rule });
    return undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return 'capPerOrderPoints: an order of the largest size would earn too many points to count; set a cap, or lower points, multiplier or pointValueMicros';
  }
}

/** A rule has every field of its kind, and none of another kind. */
function earningProblem(rule: Earning): string | undefined {
  const own: Partial<Record<EarningField, Check>> = earningChecks[rule.kind];
  const values: Partial<Record<EarningField, unknown>> = rule;
  for (const field of earningFields) {
    const isThere = values[field] !== undefined;
    if (isThere && !own[field]) return `${field} does not belong to ${rule.kind}; leave it out`;
    if (!isThere && own[field]) return `${field} is required for ${rule.kind}`;
  }
  return firstProblem(rule, own);
}

function firstProblem(rule: object, checks: Record<string, Check>): string | undefined {
  const values: Record<string, unknown> = { ...rule };
  for (const [field, check] of Object.entries(checks)) {
    const problem = check(values[field]);
    if (problem !== undefined) return `${field} ${problem}`;
  }
  return undefined;
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

function campaignProblem(campaign: RuleTerms['campaign']): string | undefined {
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
