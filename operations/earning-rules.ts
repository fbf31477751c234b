import Joi from 'joi';
import { DateTime } from 'luxon';
import {
  type Earning,
  type EarningField,
  type EarningFieldOf,
  parseClaimWindow,
  parseHold,
  type RuleKind,
  type RuleTerms,
  ruleKinds,
  ruleLimits,
} from '../domain/earning-rules.ts';
import { invalidFields, ServiceError } from '../domain/errors.ts';
import { type Mode, modes } from '../domain/mode.ts';
import {
  cappedByContract,
  ceilingProblem,
  hundredthsOf,
  largestReward,
  maxSubtotalCents,
  type RuleCeilings,
} from '../domain/points.ts';
import { budgetLimits, type RuleBudget } from '../domain/rule-budgets.ts';
import { requireIntegration } from '../models/identity/integrations.ts';
import { findPartner, fixCurrency, requireCurrency } from '../models/identity/partners.ts';
import { findActiveRule } from '../models/rewards/rule-versions.ts';
import { findRule, toEarningRule } from '../models/rewards/rules.ts';
import type { EarningRuleDoc, RuleActivationDoc } from '../models/schemas/rules.ts';
import { insertNext } from '../models/store/insert-next.ts';
import { newId } from '../platform/ids.ts';
import type { AuditLogDeps } from './deps.ts';
import { currencyCode, idField, shortText } from './fields.ts';
import { operation, type ShownDeps, sensitiveOperation, takesTwo } from './operation.ts';

/** Returns the end of a sentence that starts with the field's name; undefined for a valid value. */
type Check = (value: unknown) => string | undefined;

function integer(min: number, max: number): Check {
  return (value) => {
    if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max)
      return undefined;
    return `must be an integer from ${min} to ${max}`;
  };
}

function hundredths(min: number, max: number): Check {
  return (value) => {
    const number = typeof value === 'number' ? value : Number.NaN;
    const isExact = hundredthsOf(number) / 100 === number;
    if (isExact && number >= min && number <= max) return undefined;
    return `must be a number from ${min} to ${max} with at most two decimals`;
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

const earningFieldNames = [
  ...new Set(Object.values(earningChecks).flatMap((checks) => Object.keys(checks))),
] as EarningField[];

/** The numbers that every rule has. */
const termChecks = {
  minimumOrderCents: integer(0, maxSubtotalCents),
  multiplier: hundredths(1, ruleLimits.multiplier),
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
    ...(rule.budget !== undefined && budgetProblems(rule.budget)),
    ...durationProblem('claimWindow', parseClaimWindow, rule.claimWindow),
    ...(rule.holdFor !== undefined && durationProblem('holdFor', parseHold, rule.holdFor)),
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
  for (const field of earningFieldNames) {
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

function durationProblem(
  field: 'claimWindow' | 'holdFor',
  parse: (text: string) => unknown,
  text: string,
): Record<string, string> {
  try {
    parse(text);
    return {};
  } catch (error) {
    if (error instanceof RangeError) return { [field]: `${field}: ${error.message}` };
    throw error;
  }
}

const budgetPoints = orNull(integer(1, budgetLimits.points));

/** A budget has a limit at least: in all, in a month, or both. */
function budgetProblems(budget: RuleBudget): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const field of ['totalPoints', 'monthPoints'] as const) {
    const problem = budgetPoints(budget[field]);
    if (problem !== undefined) problems[`budget.${field}`] = `budget.${field} ${problem}`;
  }
  if (budget.totalPoints === null && budget.monthPoints === null) {
    problems['budget.totalPoints'] =
      'budget.totalPoints must be set, or budget.monthPoints: a budget has a limit in all, in a month, or both';
  }
  return problems;
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

/** A rule as requested; what is left out takes the defaults below. */
export type RuleFields = Earning &
  Pick<RuleTerms, 'mode' | 'currency'> &
  Partial<Omit<RuleTerms, 'partnerId'>>;

const defaults = {
  integrationId: null,
  minimumOrderCents: 0,
  multiplier: 1,
  campaign: null,
  capPerOrderPoints: null,
  capPerCustomerDayPoints: null,
  claimWindow: 'P30D',
  pointValueMicros: 10_000,
};

/**
 * Builds and checks a rule version without storing it.
 * @throws ServiceError NOT_FOUND for an unknown partner; VALIDATION_FAILED for values outside the limits,
 *   fields that do not match the kind, a rule in another currency than the partner's funds, and a LIVE rule
 *   above what the contract allows
 */
export async function draftRule(
  { models, now }: AuditLogDeps,
  partnerId: string,
  fields: RuleFields,
): Promise<EarningRuleDoc> {
  const partner = await findPartner(models, partnerId);
  const requested: EarningRuleDoc = {
    ...defaults,
    ...fields,
    _id: newId('rule'),
    partnerId,
    createdAt: new Date(now()),
  };
  const rule = requested.mode === 'LIVE' ? withContractsCap(requested, partner) : requested;
  const problems = { ...currencyProblem(rule, partner), ...ruleProblems(rule) };
  if (Object.keys(problems).length > 0) throw invalidFields(problems);
  const aboveContract =
    rule.mode === 'LIVE' ? ceilingProblem(toEarningRule(rule), partner) : undefined;
  if (aboveContract) throw invalidFields(aboveContract);
  if (rule.integrationId !== null) await requireIntegration(models, partnerId, rule.integrationId);
  return rule;
}

function currencyProblem(
  rule: Pick<EarningRuleDoc, 'currency'>,
  { currency }: { currency: string },
): Record<string, string> | undefined {
  if (rule.currency === currency) return undefined;
  return { currency: `currency must be ${currency}, the currency of the LIVE funds` };
}

/** Applies the contract's cap to a rule without one. A rule that is invalid anyway stays as it is. */
function withContractsCap(rule: EarningRuleDoc, partner: RuleCeilings): EarningRuleDoc {
  if (ruleProblems({ ...rule, capPerOrderPoints: rule.capPerOrderPoints ?? 0 })) return rule;
  const { capPerOrderPoints } = cappedByContract(toEarningRule(rule), partner);
  return { ...rule, capPerOrderPoints };
}

/** `problem.ts` checks which kind has which of these. */
const earningFields: Record<EarningField, Joi.Schema> = {
  points: Joi.number(),
  unitCents: Joi.number(),
};

/**
 * Stores a rule version, which nothing changes afterwards (docs/concepts/rewards.md, Points). It earns nothing
 * until it is activated.
 */
export const createRule = operation({
  name: 'earning-rule.create',
  permission: {
    operator: 'earning-rule.create',
    user: { TEST: 'earning-rule.test', LIVE: 'earning-rule.live' },
  },
  secondFactor: 'LIVE',
  // Names and types only; `draftRule` checks the limits.
  input: Joi.object<RuleFields & { partnerId: string }>({
    partnerId: idField,
    mode: Joi.string()
      .valid(...modes)
      .required(),
    integrationId: Joi.string().allow(null),
    currency: currencyCode.required(),
    kind: Joi.string()
      .valid(...ruleKinds)
      .required(),
    ...earningFields,
    minimumOrderCents: Joi.number(),
    multiplier: Joi.number(),
    campaign: Joi.object({
      startsAt: Joi.string().required(),
      endsAt: Joi.string().required(),
    }).allow(null),
    capPerOrderPoints: Joi.number().allow(null),
    capPerCustomerDayPoints: Joi.number().allow(null),
    budget: Joi.object({
      name: shortText(budgetLimits.nameChars).required(),
      totalPoints: Joi.number().allow(null).default(null),
      monthPoints: Joi.number().allow(null).default(null),
    }).empty(null),
    claimWindow: Joi.string().max(64),
    holdFor: Joi.string().max(64).empty(null),
    pointValueMicros: Joi.number(),
  }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: 'NONE',
  audit: ({ partnerId, ...details }) => ({ targetId: null, partnerId, details }),

  /** @throws ServiceError like `draftRule` */
  async run(deps: AuditLogDeps, { partnerId, ...fields }): Promise<EarningRuleDoc> {
    const rule = await draftRule(deps, partnerId, fields as RuleFields);
    if (rule.mode === 'LIVE') await fixCurrency(deps.models, partnerId, rule.currency);
    await deps.models.earningRules.create(rule);
    return rule;
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});

const maxRaces = 10;

/**
 * Appends to the log of active rules of one (partner, mode, currency, integration). After a lost race for
 * the next `seq`, it decides again.
 * @param decide gets the active rule and returns the next one, or `undefined` to change nothing
 * @returns whether anything was appended
 * @throws ServiceError CONFLICT if every attempt lost its race
 */
export async function appendActivation(
  { models, now }: AuditLogDeps,
  { partnerId, mode, currency, integrationId }: EarningRuleDoc,
  decide: (activeRuleId: string | null) => string | null | undefined,
): Promise<boolean> {
  const log = { partnerId, mode, currency, integrationId };
  const appended = await insertNext({
    newest: () => models.ruleActivations.findOne(log).sort({ seq: -1 }),
    next(newest): RuleActivationDoc | undefined {
      const ruleId = decide(newest?.ruleId ?? null);
      if (ruleId === undefined) return undefined;
      const seq = (newest?.seq ?? 0) + 1;
      return { ...log, _id: newId('activation'), seq, ruleId, activatedAt: new Date(now()) };
    },
    insert: (activation) => models.ruleActivations.create(activation),
    maxRaces,
    allLost: () =>
      new ServiceError(
        'CONFLICT',
        'Others are changing the active rule right now. Reload and try again.',
      ),
  });
  return appended !== undefined;
}

/**
 * Requires that the active rule is still the one that the user saw when they confirmed its replacement.
 * @param seen the id of the rule that they saw, null for none
 * @throws ServiceError CONFLICT if another rule is active now
 */
export function requireSeen(activeRuleId: string | null, seen: string | null): void {
  if (activeRuleId === seen) return;
  throw new ServiceError(
    'CONFLICT',
    'Another rule has become active since you looked. Check the changes again.',
  );
}

/** What is shown of a change of the active rule: the rule, the one it replaces, and the costs of orders. */
export async function shownOfRule({ models }: Pick<ShownDeps, 'models'>, stored: EarningRuleDoc) {
  const rule = toEarningRule(stored);
  const { partnerId, mode, currency, pointValueMicros } = rule;
  const [active, partner] = await Promise.all([
    findActiveRule(models, rule),
    models.partners.findById(partnerId, { name: 1 }),
  ]);
  return {
    partnerId,
    partner: partner?.name ?? null,
    ruleId: rule.ruleId,
    mode,
    currency,
    pointValueMicros,
    largestRewardCents: largestReward(rule).liabilityCents,
    activeRuleId: active?.ruleId ?? null,
  };
}

/** LIVE rules determine the cost of points. */
export const isLive = ({ mode }: { mode: Mode }): boolean => mode === 'LIVE';

interface Activation {
  ruleId: string;
  /** The id of the active rule to replace; null for none; absent for any. */
  seen?: string | null;
}

/**
 * Activates a rule version for its (partner, mode, currency, integration) with one insert, so that there
 * is no moment without a rule. Activating the active version changes nothing.
 */
export const activateRule = sensitiveOperation({
  name: 'earning-rule.activate',
  permission: {
    operator: 'earning-rule.activate',
    user: { TEST: 'earning-rule.test', LIVE: 'earning-rule.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<Activation>({ ruleId: idField, seen: Joi.string().allow(null) }),
  find: ({ models }, { ruleId }) => findRule(models, ruleId),
  atWorst: {
    moves: 'the largest reward of each later order',
    undo: 'earning-rule.activate',
    two: takesTwo.inLive,
  },
  approval: { shown: ({ models }, _input, rule) => shownOfRule({ models }, rule), needed: isLive },
  audit: ({ ruleId }, { partnerId }) => ({ targetId: ruleId, partnerId }),

  /**
   * @throws ServiceError CONFLICT if another rule is active now, if the rule exceeds the current limits of
   *   the partner's contract, or after too many lost races
   */
  async run(deps: AuditLogDeps, { ruleId, seen }, { found: rule, shown }) {
    await requireWithinContract(deps, rule);
    const changed = await appendActivation(deps, rule, (active) => {
      if (active === ruleId) return undefined;
      if (seen !== undefined) requireSeen(active, seen);
      if (shown) requireSeen(active, shown.activeRuleId as string | null);
      return ruleId;
    });
    return { rule, changed };
  },

  completion: ({ changed }) => ({ details: { changed } }),
});

async function requireWithinContract(
  { models }: AuditLogDeps,
  stored: EarningRuleDoc,
): Promise<void> {
  const partner = await findPartner(models, stored.partnerId);
  requireCurrency(partner, stored.currency);
  if (stored.mode !== 'LIVE') return;
  const problem = ceilingProblem(toEarningRule(stored), partner);
  if (problem === undefined) return;
  throw new ServiceError('CONFLICT', `${stored._id}: ${Object.values(problem).join('; ')}.`);
}

/**
 * Deactivates a rule without a replacement; from then on its purchases are refused. Deactivating an
 * inactive rule changes nothing.
 */
export const deactivateRule = sensitiveOperation({
  name: 'earning-rule.deactivate',
  permission: {
    operator: 'earning-rule.deactivate',
    user: { TEST: 'earning-rule.test', LIVE: 'earning-rule.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<{ ruleId: string }>({ ruleId: idField }),
  find: ({ models }, { ruleId }) => findRule(models, ruleId),
  atWorst: {
    moves: 'the rewards of the purchases refused meanwhile',
    undo: 'earning-rule.activate',
    two: takesTwo.inLive,
  },
  approval: { shown: ({ models }, _input, rule) => shownOfRule({ models }, rule), needed: isLive },
  audit: ({ ruleId }, { partnerId }) => ({ targetId: ruleId, partnerId }),

  /** @throws ServiceError CONFLICT after too many lost races */
  async run(deps: AuditLogDeps, { ruleId }, { found: rule, shown }) {
    const changed = await appendActivation(deps, rule, (active) => {
      if (active !== ruleId) return undefined;
      if (shown) requireSeen(active, shown.activeRuleId as string | null);
      return null;
    });
    return { rule, changed };
  },

  completion: ({ changed }) => ({ details: { changed } }),
});
