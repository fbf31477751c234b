import type { RewardDoc } from '../../models/schemas/rewards.ts';
import { scopeOf } from '../../models/views/partner-scope.ts';
import { readPartnerRewards } from '../../models/views/rewards.ts';
import { check } from '../../platform/validation.ts';
import type { ProgramViewer } from '../context.ts';
import type { PortalDeps } from '../deps.ts';
import { rewardFilterOf, rewardQuerySchema } from '../forms/reward-query.ts';
import { modeToRead } from './viewer.ts';

/**
 * A page of a partner's rewards for a program, newest first.
 * @returns the rewards, and the cursor of the next page; null at the end
 * @throws ServiceError VALIDATION_FAILED, naming the parameter; FORBIDDEN for a mode that is not a service
 *   account's
 */
export async function readRewardsAsJson(
  deps: Pick<PortalDeps, 'models'>,
  program: ProgramViewer,
  query: object,
) {
  const params = check(rewardQuerySchema, query);
  const { partner } = program;
  const mode = modeToRead(program, params.mode);
  const filter = rewardFilterOf(partner, { ...params, ...(mode && { mode }) });
  const { items, nextCursor } = await readPartnerRewards(deps, scopeOf(partner), filter, params);
  return { rewards: items.map(present), nextCursor };
}

/** The same data as in the page's CSV. */
function present({ _id: id, purchaseEventId: eventId, liabilityCents, ...reward }: RewardDoc) {
  const { mode, externalOrderId, status, customerStatus, points, currency } = reward;
  const { claimExpiresAt, customerId, integrationId, createdAt } = reward;
  return {
    id,
    mode,
    externalOrderId,
    status,
    customerStatus,
    points,
    costCents: liabilityCents,
    currency,
    claimExpiresAt,
    customerId,
    eventId,
    integrationId,
    createdAt,
  };
}
