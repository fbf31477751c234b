import type { EarningRule } from '../domain/earning-rules.ts';
import { ServiceError } from '../domain/errors.ts';
import type { Mode } from '../domain/mode.ts';
import { type BudgetLimit, budgetId, countedIn, limitsOf } from '../domain/rule-budgets.ts';
import { findPartner } from '../models/identity/partners.ts';
import {
  findActiveRule,
  findRulesOf,
  findVersions,
  type VersionState,
  withStates,
} from '../models/rewards/rule-versions.ts';
import { findActiveRules, findRule, toEarningRule } from '../models/rewards/rules.ts';
import { type PageQuery, readPage } from '../models/store/paging.ts';
import type { ModelDeps } from './deps.ts';
import { integrationNames } from './names.ts';
import type { PartnerScope } from './partner-scope.ts';

/** The newest versions shown, of a mode or of one rule, besides active ones. The list of rules has all. */
export const maxVersions = 25;

/** A rule of a partner. @throws ServiceError NOT_FOUND, also for another partner's */
export async function findOwnRule(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  _id: string,
  mode?: Mode,
): Promise<EarningRule> {
  const rule = await models.earningRules.findOne({ partnerId, _id, ...(mode && { mode }) });
  if (rule) return toEarningRule(rule);
  throw new ServiceError('NOT_FOUND', 'There is no such rule.');
}

/** The newest rules of a mode, and its active ones. */
export async function readNewestRules({ models }: ModelDeps, partnerId: PartnerScope, mode: Mode) {
  const versions = await findRulesOf(models, partnerId, mode, maxVersions);
  const rules = versions.map(({ rule }) => rule);
  return { versions, nameOf: await integrationNames(models, partnerId, rules) };
}

export type NewestRules = Awaited<ReturnType<typeof readNewestRules>>;

/** A page of all rules of a mode, newest first. */
export async function readRules(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  mode: Mode,
  query: PageQuery,
) {
  const { items, nextCursor } = await readPage(
    models.earningRules,
    [{ partnerId, mode }],
    query,
    (rule) => rule,
  );
  const active = await findActiveRules(models, partnerId, mode);
  const versions = await withStates(
    models,
    items,
    active.map(({ ruleId }) => ruleId),
  );
  const rules = versions.map(({ rule }) => rule);
  return { mode, versions, nextCursor, nameOf: await integrationNames(models, partnerId, rules) };
}

export type RulesOfMode = Awaited<ReturnType<typeof readRules>>;

/** A rule, its versions and its state. @throws ServiceError NOT_FOUND */
export async function readRule(deps: ModelDeps, partnerId: PartnerScope, ruleId: string) {
  const { models } = deps;
  const rule = await findOwnRule(deps, partnerId, ruleId);
  const versions = await findVersions(models, rule, maxVersions);
  const nameOf = await integrationNames(models, partnerId, [rule]);
  const state: VersionState =
    versions.find((one) => one.rule.ruleId === ruleId)?.state ?? 'REPLACED';
  return { rule, versions, state, nameOf };
}

export type RuleDetails = Awaited<ReturnType<typeof readRule>>;

/**
 * What is used of the budgets of rules, by their ids; nothing of those without.
 * @param day today, `yyyy-mm-dd`, in the partner's time zone
 */
export async function readBudgets(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  rules: readonly EarningRule[],
  day: string,
): Promise<ReadonlyMap<string, BudgetLimit[]>> {
  const own = rules.flatMap((rule) =>
    rule.budget ? [{ rule, budget: rule.budget, _id: budgetId(rule, rule.budget) }] : [],
  );
  if (own.length === 0) return new Map();
  const ids = own.map(({ _id }) => _id);
  const uses = await models.ruleBudgets.find({ partnerId, _id: { $in: ids } });
  return new Map(
    own.map(({ rule, budget, _id }) => {
      const use = uses.find((one) => one._id === _id);
      return [rule.ruleId, limitsOf(countedIn(budget, day), use)];
    }),
  );
}

/**
 * A rule, the active rule that it would replace, and the one that its purchases earn by now: the same, or that
 * of all integrations.
 * @param mode the mode to activate it in, if not its own
 */
export async function readRuleChange(
  { models }: ModelDeps,
  next: EarningRule,
  mode: Mode = next.mode,
): Promise<{ next: EarningRule } & Record<'current' | 'applied', EarningRule | null>> {
  const [current, ofAll] = await Promise.all([
    findActiveRule(models, { ...next, mode }),
    next.integrationId === null
      ? null
      : findActiveRule(models, { ...next, mode, integrationId: null }),
  ]);
  return { next, current, applied: current ?? ofAll };
}

/** The active rules of a mode, one for each currency and integration. */
export const readActiveRules = (
  { models }: ModelDeps,
  partnerId: PartnerScope,
  mode: Mode,
): Promise<EarningRule[]> => findActiveRules(models, partnerId, mode);

/** The active TEST rules that the request for go-live promotes: none once there is a LIVE one. */
export async function readPromotable(
  deps: ModelDeps,
  partnerId: PartnerScope,
  { currency }: { currency: string },
): Promise<EarningRule[]> {
  const [live, tested] = await Promise.all([
    readActiveRules(deps, partnerId, 'LIVE'),
    readActiveRules(deps, partnerId, 'TEST'),
  ]);
  return live.length > 0 ? [] : tested.filter((rule) => rule.currency === currency);
}

/** A rule of any partner, for operators. @throws ServiceError NOT_FOUND */
export async function readAnyRule({ models }: ModelDeps, ruleId: string) {
  const stored = await findRule(models, ruleId);
  const { partnerId, mode } = stored;
  const [partner, active] = await Promise.all([
    findPartner(models, partnerId),
    findActiveRules(models, partnerId, mode),
  ]);
  const isActive = active.some((one) => one.ruleId === ruleId);
  return { stored, rule: toEarningRule(stored), partner, isActive };
}

export type AnyRule = Awaited<ReturnType<typeof readAnyRule>>;
