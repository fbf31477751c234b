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

/** Returns the end of a sentence that starts with the field's name; undefined for a valid value. */
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

/** The fields of each kind, with their checks. */
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

/** An unambiguous date-time: with seconds and a time zone. */
const dateTimeWithZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/;

/** The problems of an invalid rule by field, as sentences with its name; undefined for a valid rule. */
export function ruleProblems(rule: RuleTerms & Earning): Record<string, string> | undefined {
  const problems = {
    ...earningProblems(rule),
    ...problemsOf(rule, termChecks),
    ...claimWindowProblem(rule.claimWindow),
    ...campaignProblems(rule.campaign),
  };
  if (Object.keys(problems).length > 0) return problems;
  // Only valid numbers can be multiplied.
  return overflowProblem(rule);
}

/** A stored rule must be usable: for any purchase, all results are safe integers. */
function overflowProblem(rule: RuleTerms & Earning): Record<string, string> | undefined {
  try {
    largestReward({ ruleId: '', ...rule });
    return undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return {
      capPerOrderPoints:
        'capPerOrderPoints: an order of the largest size would earn too many points to count; set a limit, or lower the points, the multiplier or the cost of a point',
    };
  }
}

/** A rule must have all fields of its kind, and none of another kind. */
function earningProblems(rule: Earning): Record<string, string> {
  const own: Partial<Record<EarningField, Check>> = earningChecks[rule.kind];
  const values: Partial<Record<EarningField, unknown>> = rule;
  const problems = problemsOf(rule, own);
  for (const field of earningFields) {
    const isThere = values[field] !== undefined;
    if (isThere && !own[field])
      problems[field] = `${field} does not belong to ${rule.kind}; leave it out`;
    if (!isThere && own[field]) problems[field] = `${field} is required for ${rule.kind}`;
  }
  return problems;
}

function problemsOf(rule: object, checks: Record<string, Check>): Record<string, string> {
  const values: Record<string, unknown> = { ...rule };
  const problems: Record<string, string> = {};
  for (const [field, check] of Object.entries(checks)) {
    const problem = check(values[field]);
    if (problem !== undefined) problems[field] = `${field} ${problem}`;
  }
  return problems;
}

function claimWindowProblem(claimWindow: string): Record<string, string> {
  try {
    parseClaimWindow(claimWindow);
    return {};
  } catch (error) {
    if (error instanceof RangeError) return { claimWindow: `claimWindow: ${error.message}` };
    throw error;
  }
}

function campaignProblems(campaign: RuleTerms['campaign']): Record<string, string> {
  if (campaign === null) return {};
  const problems: Record<string, string> = {};
  for (const field of ['startsAt', 'endsAt'] as const) {
    const text = campaign[field];
    if (dateTimeWithZone.test(text) && DateTime.fromISO(text).isValid) continue;
    problems[`campaign.${field}`] =
      `campaign.${field} must be an ISO 8601 date-time with a timezone offset`;
  }
  if (Date.parse(campaign.endsAt) <= Date.parse(campaign.startsAt)) {
    problems['campaign.endsAt'] = "campaign.endsAt must be after the campaign's start";
  }
  return problems;
}
