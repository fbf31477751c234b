import type { ClientSession, PipelineStage } from 'mongoose';
import type { EarningRule } from '../../domain/earning-rules.ts';
import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import type { EarningRuleDoc, RuleActivationDoc } from '../schemas/rules.ts';
import { requireFound } from '../store/require-found.ts';

/** @throws ServiceError NOT_FOUND */
export async function findRule(models: Models, ruleId: string): Promise<EarningRuleDoc> {
  return requireFound(await models.earningRules.findById(ruleId), 'earning rule', ruleId);
}

/** A stored rule version as the domain type. */
export function toEarningRule({ _id, createdAt: _, ...rule }: EarningRuleDoc): EarningRule {
  return { ruleId: _id, ...rule };
}

/** The active rules of a partner in one mode: the newest activation of each (currency, integration). */
export async function findActiveRules(
  models: Models,
  partnerId: string,
  mode: Mode,
  session: ClientSession | null = null,
): Promise<EarningRule[]> {
  const pipeline: PipelineStage[] = [
    { $match: { partnerId, mode } },
    { $sort: { seq: -1 } },
    {
      $group: {
        _id: { currency: '$currency', integrationId: '$integrationId' },
        ruleId: { $first: '$ruleId' },
      },
    },
  ];
  const newest = await models.ruleActivations
    .aggregate<Pick<RuleActivationDoc, 'ruleId'>>(pipeline)
    .session(session);
  const ruleIds = newest.flatMap(({ ruleId }) => (ruleId === null ? [] : [ruleId]));
  if (ruleIds.length === 0) return [];
  const among = { partnerId, _id: { $in: ruleIds } };
  const rules = await models.earningRules.find(among).session(session);
  return rules.map(toEarningRule);
}
