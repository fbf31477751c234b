import type { Earning, RuleTerms } from '../../domain/earning-rules.ts';
import { invalidFields } from '../../domain/errors.ts';
import { cappedByContract, ceilingProblem, type RuleCeilings } from '../../domain/rule-ceilings.ts';
import { requireIntegration } from '../../models/identity/integrations.ts';
import { findPartner } from '../../models/identity/partners.ts';
import { toEarningRule } from '../../models/rewards/rules.ts';
import type { EarningRuleDoc } from '../../models/schemas/rules.ts';
import { newId } from '../../platform/ids.ts';
import type { AuditDeps } from '../deps.ts';
import { ruleProblems } from './problem.ts';

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
 *   fields that do not match the kind, and a LIVE rule in another currency than the partner's funds or above
 *   what the contract allows
 */
export async function draftRule(
  { models, now }: AuditDeps,
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
  const problems = {
    ...(rule.mode === 'LIVE' && currencyProblem(rule, partner)),
    ...ruleProblems(rule),
  };
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
