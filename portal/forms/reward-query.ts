import Joi from 'joi';
import { type Mode, modes } from '../../domain/mode.ts';
import { type RewardStatus, rewardStatuses } from '../../domain/reward.ts';
import { type PageQuery, pageParameters, searchText, utcDay } from '../../http/query.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { PartnerRewardFilter } from '../../models/views/rewards.ts';
import { pastedText } from '../../platform/csv.ts';
import { defaultModeOf } from '../routing/modes.ts';
import { idFilter } from '../routing/params.ts';

/** The query of a partner's rewards, as in its address. */
export interface RewardQuery extends PageQuery {
  mode?: Mode;
  status?: RewardStatus;
  order?: string;
  customer?: string;
  /** UTC days, inclusive. */
  from?: string;
  to?: string;
}

export const rewardQuerySchema = Joi.object<RewardQuery>({
  mode: Joi.string().valid(...modes),
  status: Joi.string().valid(...rewardStatuses),
  order: searchText,
  customer: idFilter('customer'),
  from: utcDay,
  to: utcDay,
  ...pageParameters,
});

/** The filter for a query; without a mode, the default one applies. */
export function rewardFilterOf(
  partner: Pick<PartnerDoc, 'goLive'>,
  { mode, status, order, customer, from, to }: RewardQuery,
): PartnerRewardFilter {
  return {
    mode: mode ?? defaultModeOf(partner),
    status,
    externalOrderId: order === undefined ? undefined : pastedText(order),
    customerId: customer,
    fromDay: from,
    toDay: to,
  };
}
