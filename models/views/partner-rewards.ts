import type { Readable } from 'node:stream';
import type { PipelineStage, QueryFilter } from 'mongoose';
import type { Mode } from '../../domain/mode.ts';
import { type RewardStatus, rewardStatuses } from '../../domain/reward-states.ts';
import { type CsvColumn, csvOf } from '../../platform/csv.ts';
import { idBound } from '../../platform/ids.ts';
import { partnerRewardsIndex, type RewardDoc } from '../schemas/rewards.ts';
import { createdOn, type DayRange } from '../store/day-range.ts';
import { cursorOf, defaultLimit, type Page, type PageQuery } from '../store/paging.ts';
import type { ModelDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** Filters of a partner's rewards; a reward must meet all given ones. Days are those of its purchase. */
export interface PartnerRewardFilter extends DayRange {
  mode: Mode;
  status?: RewardStatus | undefined;
  externalOrderId?: string | undefined;
  customerId?: string | undefined;
}

/** More rewards than an order or a customer has. */
const maxSummed = 10_000;
/** More would be too much for a spreadsheet. */
export const maxCsvRows = 100_000;
const csvPageRows = 1_000;

/** The total of the rewards of a list with one status and currency. */
export interface RewardTotal {
  status: RewardStatus;
  currency: string;
  rewards: number;
  points: number;
  cents: number;
}

/**
 * A page of a partner's rewards, newest first.
 * @throws RangeError for an invalid day
 */
export async function readPartnerRewards(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  filter: PartnerRewardFilter,
  { limit = defaultLimit, cursor }: PageQuery,
): Promise<Page<RewardDoc>> {
  // One more, to find out whether there is a next page.
  const found = await models.rewards
    .find(conditionsOf(partnerId, filter, cursor))
    .sort({ _id: -1 })
    .limit(limit + 1)
    .hint(indexOf(filter));
  const items = found.slice(0, limit);
  return { items, nextCursor: cursorOf(found.length > limit ? (items.at(-1)?._id ?? null) : null) };
}

/**
 * The totals of the whole list by status and currency. They are read from the daily totals, which lag by
 * seconds; for an order or a customer, the few rewards themselves are summed.
 */
export async function readRewardTotals(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  filter: PartnerRewardFilter,
): Promise<RewardTotal[]> {
  const { mode, status, externalOrderId, customerId, fromDay, toDay } = filter;
  if (externalOrderId !== undefined || customerId !== undefined) {
    return await models.rewards.aggregate<RewardTotal>(
      [
        { $match: conditionsOf(partnerId, filter) },
        { $limit: maxSummed },
        ...totalStages({ status: '$status', currency: '$currency' }, [
          1,
          '$points',
          '$liabilityCents',
        ]),
      ],
      { hint: indexOf(filter) },
    );
  }
  const days = { ...(fromDay && { $gte: fromDay }), ...(toDay && { $lte: toDay }) };
  return await models.rewardTotals.aggregate<RewardTotal>([
    { $match: { partnerId, mode, ...(Object.keys(days).length > 0 && { day: days }) } },
    { $project: { currency: 1, state: { $objectToArray: '$states' } } },
    { $unwind: '$state' },
    ...(status === undefined ? [] : [{ $match: { 'state.k': status } }]),
    ...totalStages({ status: '$state.k', currency: '$currency' }, [
      ...['$state.v.rewards', '$state.v.points', '$state.v.cents'],
    ]),
  ]);
}

/** Groups and sums rewards, the most rewards first, without totals of 0 rewards. */
const totalStages = (
  _id: object,
  [rewards, points, cents]: readonly unknown[],
): PipelineStage[] => [
  {
    $group: {
      _id,
      rewards: { $sum: rewards },
      points: { $sum: points },
      cents: { $sum: cents },
    },
  },
  { $match: { rewards: { $gt: 0 } } },
  { $sort: { rewards: -1, _id: 1 } },
  {
    $project: {
      _id: 0,
      status: '$_id.status',
      currency: '$_id.currency',
      rewards: 1,
      points: 1,
      cents: 1,
    },
  },
];

const columns: CsvColumn<RewardDoc>[] = [
  { header: 'createdAt', of: ({ createdAt }) => createdAt.toISOString() },
  { header: 'rewardId', of: ({ _id }) => _id },
  { header: 'mode', of: ({ mode }) => mode },
  { header: 'externalOrderId', of: ({ externalOrderId }) => externalOrderId },
  { header: 'status', of: ({ status }) => status },
  { header: 'customerStatus', of: ({ customerStatus }) => customerStatus },
  { header: 'points', of: ({ points }) => points },
  { header: 'costCents', of: ({ liabilityCents }) => liabilityCents },
  { header: 'currency', of: ({ currency }) => currency },
  { header: 'claimExpiresAt', of: ({ claimExpiresAt }) => claimExpiresAt.toISOString() },
  { header: 'customerId', of: ({ customerId }) => customerId },
  { header: 'eventId', of: ({ purchaseEventId }) => purchaseEventId },
  { header: 'integrationId', of: ({ integrationId }) => integrationId },
];

/** The list as a CSV stream, newest first, with at most `maxCsvRows` rows. */
export function partnerRewardsCsv(
  deps: ModelDeps,
  partnerId: PartnerScope,
  filter: PartnerRewardFilter,
): Readable {
  return csvOf(columns, allRewards(deps, partnerId, filter));
}

async function* allRewards(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  filter: PartnerRewardFilter,
) {
  let cursor: string | undefined;
  for (let left = maxCsvRows; left > 0; left -= csvPageRows) {
    const rows = await models.rewards
      .find(conditionsOf(partnerId, filter, cursor))
      .sort({ _id: -1 })
      .limit(Math.min(left, csvPageRows))
      .hint(indexOf(filter));
    yield* rows;
    if (rows.length < csvPageRows) return;
    cursor = rows.at(-1)?._id;
  }
}

/** @param cursor the id of a reward; only older rewards match */
function conditionsOf(
  partnerId: PartnerScope,
  { mode, status, externalOrderId, customerId, fromDay, toDay }: PartnerRewardFilter,
  cursor?: string,
): QueryFilter<RewardDoc> {
  const within = [
    ...createdOn({ fromDay, toDay }, (atMs) => idBound('reward', atMs)),
    ...(cursor === undefined ? [] : [{ _id: { $lt: cursor } }]),
  ];
  return {
    partnerId,
    mode,
    status: status === undefined ? { $in: rewardStatuses } : status,
    ...(externalOrderId !== undefined && { externalOrderId }),
    ...(customerId !== undefined && { customerId }),
    ...(within.length > 0 && { $and: within }),
  };
}

/** An order or a customer has few rewards; every other list is a sorted range for each status. */
function indexOf({ externalOrderId, customerId }: PartnerRewardFilter) {
  if (externalOrderId !== undefined) return { externalOrderId: 1 as const, _id: -1 as const };
  if (customerId !== undefined) return { customerId: 1 as const, _id: -1 as const };
  return partnerRewardsIndex;
}
