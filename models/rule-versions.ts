import type { EarningRule } from '../domain/earning-rules.ts';
import type { Mode } from '../domain/events.ts';
import { findActiveRules, toEarningRule } from './rules.ts';
import type { EarningRuleDoc } from './schemas/earning-rule.ts';
import type { Models } from './schemas/index.ts';

/** A DRAFT was never active; a REPLACED one is no longer. */
export type VersionState = 'ACTIVE' | 'DRAFT' | 'REPLACED';

export interface RuleVersion {
  rule: EarningRule;
  state: VersionState;
  createdAt: Date;
}

/** The versions among which one is active: those of one mode, currency and integration. */
export type RuleLine = Pick<EarningRule, 'partnerId' | 'mode' | 'currency' | 'integrationId'>;

const lineOf = ({ partnerId, mode, currency, integrationId }: RuleLine): RuleLine => ({
  ...{ partnerId, mode, currency, integrationId },
});

/** The active rule of a line. */
export async function findActiveRule(models: Models, line: RuleLine): Promise<EarningRule | null> {
  const newest = await models.ruleActivations.findOne(lineOf(line)).sort({ seq: -1 }).lean();
  if (!newest?.ruleId) return null;
  const { partnerId } = line;
  const rule = await models.earningRules.findOne({ partnerId, _id: newest.ruleId }).lean();
  return rule && toEarningRule(rule);
}

/** The versions of a line, the newest first. */
export async function findVersions(
  models: Models,
  line: RuleLine,
  limit: number,
): Promise<RuleVersion[]> {
  const rules = await models.earningRules.find(lineOf(line)).sort({ _id: -1 }).limit(limit).lean();
  const active = await findActiveRule(models, line);
  return await withStates(models, rules, active === null ? [] : [active.ruleId]);
}

/** The newest versions of a mode with whatever is active: by currency and integration, the newest first. */
export async function findRulesOf(
  models: Models,
  partnerId: string,
  mode: Mode,
  limit: number,
): Promise<RuleVersion[]> {
  const activeIds = (await findActiveRules(models, partnerId, mode)).map(({ ruleId }) => ruleId);
  const [active, newest] = await Promise.all([
    models.earningRules.find({ partnerId, _id: { $in: activeIds } }).lean(),
    models.earningRules
      .find({ partnerId, mode, _id: { $nin: activeIds } })
      .sort({ _id: -1 })
      .limit(limit)
      .lean(),
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
