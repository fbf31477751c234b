import type { EarningRule } from '../../domain/earning-rules.ts';
import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import type { EarningRuleDoc } from '../schemas/rules.ts';
import { findActiveRules, toEarningRule } from './rules.ts';

/** DRAFT: never active. REPLACED: no longer active. */
export type VersionState = 'ACTIVE' | 'DRAFT' | 'REPLACED';

export interface RuleVersion {
  rule: EarningRule;
  state: VersionState;
  createdAt: Date;
}

/** The scope in which one version is active: a mode, currency and integration. */
export type RuleScope = Pick<EarningRule, 'partnerId' | 'mode' | 'currency' | 'integrationId'>;

const scopeOf = ({ partnerId, mode, currency, integrationId }: RuleScope): RuleScope => ({
  partnerId,
  mode,
  currency,
  integrationId,
});

/** The active rule of a scope. */
export async function findActiveRule(
  models: Models,
  scope: RuleScope,
): Promise<EarningRule | null> {
  const newest = await models.ruleActivations.findOne(scopeOf(scope)).sort({ seq: -1 });
  if (!newest?.ruleId) return null;
  const { partnerId } = scope;
  const rule = await models.earningRules.findOne({ partnerId, _id: newest.ruleId });
  return rule && toEarningRule(rule);
}

/** The versions of a scope, the newest first. */
export async function findVersions(
  models: Models,
  scope: RuleScope,
  limit: number,
): Promise<RuleVersion[]> {
  const rules = await models.earningRules.find(scopeOf(scope)).sort({ _id: -1 }).limit(limit);
  const active = await findActiveRule(models, scope);
  return await withStates(models, rules, active === null ? [] : [active.ruleId]);
}

/**
 * The latest versions of a mode, including all active ones, by currency and integration, newest
 * first.
 */
export async function findRulesOf(
  models: Models,
  partnerId: string,
  mode: Mode,
  limit: number,
): Promise<RuleVersion[]> {
  const activeIds = (await findActiveRules(models, partnerId, mode)).map(({ ruleId }) => ruleId);
  const [active, newest] = await Promise.all([
    models.earningRules.find({ partnerId, _id: { $in: activeIds } }),
    models.earningRules
      .find({ partnerId, mode, _id: { $nin: activeIds } })
      .sort({ _id: -1 })
      .limit(limit),
  ]);
  const versions = await withStates(models, [...active, ...newest], activeIds);
  const keyOf = ({ rule }: RuleVersion) => `${rule.currency} ${rule.integrationId ?? ''}`;
  return versions.toSorted(
    (a, b) =>
      keyOf(a).localeCompare(keyOf(b)) ||
      Number(b.state === 'ACTIVE') - Number(a.state === 'ACTIVE') ||
      b.rule.ruleId.localeCompare(a.rule.ruleId),
  );
}

/** Some rules of one partner and mode, each with its state. */
export async function withStates(
  models: Models,
  rules: readonly EarningRuleDoc[],
  activeIds: readonly string[],
): Promise<RuleVersion[]> {
  const [first] = rules;
  if (!first) return [];
  const { partnerId, mode } = first;
  const ruleId = { $in: rules.map(({ _id }) => _id) };
  const once = await models.ruleActivations.distinct('ruleId', { partnerId, mode, ruleId });
  return rules.map((doc) => {
    const state = activeIds.includes(doc._id)
      ? 'ACTIVE'
      : once.includes(doc._id)
        ? 'REPLACED'
        : 'DRAFT';
    return { rule: toEarningRule(doc), state, createdAt: doc.createdAt };
  });
}
