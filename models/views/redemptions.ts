import type { Mode } from '../../domain/mode.ts';
import type { Models } from '../schemas/index.ts';
import type { RedemptionDoc } from '../schemas/redemptions.ts';
import { type Page, type PageQuery, page } from '../store/paging.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** A partner's redemptions in a mode, newest first. */
export async function readRedemptions(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  mode: Mode,
  query: PageQuery,
): Promise<Page<RedemptionDoc>> {
  return await page(models.redemptions, [{ partnerId, mode }], query, (one) => one);
}

/** The newest redemptions shown of a customer. */
const maxShown = 25;

/** Where a customer's points went, newest first. */
export async function redemptionsOf(
  { redemptions }: Pick<Models, 'redemptions'>,
  {
    partnerId,
    customerId,
    modes,
  }: { partnerId: string; customerId: string; modes: readonly Mode[] },
): Promise<RedemptionDoc[]> {
  return await redemptions
    .find({ partnerId, customerId, mode: { $in: modes } })
    .sort({ _id: -1 })
    .limit(maxShown);
}
