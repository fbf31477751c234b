import type { EarningRule } from '../../domain/earning-rules.ts';
import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { EarningRuleDoc } from '../schemas/earning-rule.ts';
import type { CommandDeps } from './deps.ts';
import { findPartner, requireIntegration } from './find.ts';
import { ruleProblem } from './rule-problem.ts';

type Required = 'mode' | 'currency' | 'kind' | 'points';

/** A rule as it is asked for: `unitCents` is required for PER_AMOUNT, the rest has defaults. */
export type RuleFields = Pick<EarningRule, Required> &
  Partial<Omit<EarningRule, Required | 'ruleId' | 'partnerId'>>;

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
 * Stores a rule version, which nothing changes afterwards (domain, Points). It earns nothing until it
 * is activated.
 * @throws ServiceError NOT_FOUND without such a partner; VALIDATION_FAILED for a rule outside the
 *   limits, or a LIVE one in another currency than the partner's funds
 */
export async function createRule(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  partnerId: string,
  fields: RuleFields,
): Promise<EarningRuleDoc> {
  const { currency } = await findPartner(models, partnerId);
  if (fields.mode === 'LIVE' && fields.currency !== currency) {
    throw new ServiceError(
      'VALIDATION_FAILED',
      `currency must be ${currency}, the currency of the partner's LIVE funds`,
    );
  }
  const rule: EarningRuleDoc = {
    ...defaults,
    ...fields,
    unitCents: unitCentsOf(fields),
    _id: newId('rule'),
    partnerId,
    createdAt: new Date(now()),
  };
  const problem = ruleProblem(rule);
  if (problem !== undefined) throw new ServiceError('VALIDATION_FAILED', problem);
  if (rule.integrationId !== null) await requireIntegration(models, partnerId, rule.integrationId);
  await models.earningRules.create(rule);
  return rule;
}

/** A fixed rule has no unit; it is stored as 1, so that every rule has one to divide by. */
function unitCentsOf({ kind, unitCents }: RuleFields): number {
  if (kind === 'FIXED') {
    if (unitCents === undefined || unitCents === 1) return 1;
    throw new ServiceError(
      'VALIDATION_FAILED',
      'unitCents belongs to PER_AMOUNT alone; leave it out',
    );
  }
  if (unitCents !== undefined) return unitCents;
  throw new ServiceError('VALIDATION_FAILED', 'unitCents is required for PER_AMOUNT');
}
