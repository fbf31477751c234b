import { ServiceError } from '../../domain/errors.ts';
import type { CredentialDoc } from '../schemas/credential.ts';
import type { EarningRuleDoc } from '../schemas/earning-rule.ts';
import type { Models } from '../schemas/index.ts';
import type { IntegrationDoc } from '../schemas/integration.ts';
import type { PartnerDoc } from '../schemas/partner.ts';
import type { RewardDoc } from '../schemas/reward.ts';

/** @throws ServiceError NOT_FOUND */
export async function findPartner(models: Models, partnerId: string): Promise<PartnerDoc> {
  return found(await models.partners.findById(partnerId).lean(), 'partner', partnerId);
}

/**
 * While a partner is suspended, its customers neither claim nor spend: what stands, stands.
 * @throws ServiceError PARTNER_SUSPENDED
 */
export async function requireNotSuspended(models: Models, partnerId: string): Promise<void> {
  if (!(await models.partners.exists({ _id: partnerId, status: 'SUSPENDED' }))) return;
  throw new ServiceError(
    'PARTNER_SUSPENDED',
    'The partner is suspended: its rewards can be neither claimed nor spent until it is active again.',
  );
}

/** @throws ServiceError NOT_FOUND */
export async function findCredential(models: Models, credentialId: string): Promise<CredentialDoc> {
  return found(await models.credentials.findById(credentialId).lean(), 'credential', credentialId);
}

/** @throws ServiceError NOT_FOUND */
export async function findRule(models: Models, ruleId: string): Promise<EarningRuleDoc> {
  return found(await models.earningRules.findById(ruleId).lean(), 'earning rule', ruleId);
}

/** @throws ServiceError NOT_FOUND */
export async function findReward(models: Models, rewardId: string): Promise<RewardDoc> {
  return found(await models.rewards.findById(rewardId).lean(), 'reward', rewardId);
}

/** @throws ServiceError NOT_FOUND */
export async function findIntegration(
  models: Models,
  integrationId: string,
): Promise<IntegrationDoc> {
  return found(
    await models.integrations.findById(integrationId).lean(),
    'integration',
    integrationId,
  );
}

/**
 * An integration that a request names in its body, which must be the partner's own.
 * @throws ServiceError VALIDATION_FAILED
 */
export async function requireIntegration(
  models: Models,
  partnerId: string,
  integrationId: string,
): Promise<void> {
  if (await models.integrations.exists({ partnerId, _id: integrationId })) return;
  throw new ServiceError(
    'VALIDATION_FAILED',
    `integrationId must name an integration of ${partnerId}; ${JSON.stringify(integrationId)} does not.`,
  );
}

function found<T>(document: T | null, what: string, id: string): T {
  if (document) return document;
  throw new ServiceError('NOT_FOUND', `There is no ${what} ${JSON.stringify(id)}.`);
}
