import Joi from 'joi';
import { type Mode, modes } from '../../domain/mode.ts';
import { type RewardStatus, rewardStatuses } from '../../domain/reward-states.ts';
import { type PageQuery, pageParameters, searchText } from '../../http/paging.ts';
import { utcDay } from '../../http/utc-day.ts';
import type { PartnerDoc } from '../../models/schemas/partner.ts';
import type { PartnerRewardFilter } from '../../models/views/partner-rewards.ts';
import { defaultModeOf } from '../routing/chosen-mode.ts';
import { idFilter } from './id-filters.ts';

/** What a partner's rewards are asked for by, as it stands in an address. */
export interface RewardQuery extends PageQuery {
  mode?: Mode;
  status?: RewardStatus;
  order?: string;
  customer?: string;
  /** UTC days, both included. */
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

/** What an address asks for; without a mode, in the usual one. */
export function rewardFilterOf(
  partner: Pick<PartnerDoc, 'goLive'>,
  { mode, status, order, customer, from, to }: RewardQuery,
): PartnerRewardFilter {
  return {
    ...{ mode: mode ?? defaultModeOf(partner), status },
    ...{ externalOrderId: order, customerId: customer, fromDay: from, toDay: to },
  };
}
