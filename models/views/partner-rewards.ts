import type { Readable } from 'node:stream';
import type { PipelineStage, QueryFilter } from 'mongoose';
import type { Mode } from '../../domain/mode.ts';
import { type RewardStatus, rewardStatuses } from '../../domain/reward-states.ts';
import { type CsvColumn, csvOf } from '../../platform/csv.ts';
import { idBound } from '../../platform/ids.ts';
import { partnerRewardsIndex, type RewardDoc } from '../schemas/reward.ts';
import { createdOn, type DayRange } from '../store/day-range.ts';
import { cursorOf, defaultLimit, type Page, type PageQuery } from '../store/paging.ts';
import type { ModelDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** Which rewards of a partner are listed: all that is given must hold. DayRange are those of the purchase's report. */
export interface PartnerRewardFilter extends DayRange {
  mode: Mode;
  status?: RewardStatus | undefined;
  externalOrderId?: string | undefined;
  customerId?: string | undefined;
}

/** More than an order or a customer has. */
const maxOfOne = 10_000;
/** More would take a spreadsheet down. */
export const maxCsvRows = 100_000;
const csvPageRows = 1_000;

/** What the rewards of a list in one state and one currency amount to. */
export interface RewardTotal {
  status: RewardStatus;
  currency: string;
  rewards: number;
  points: number;
  cents: number;
}

/**
 * A page of a partner's rewards, the newest first.
 * @throws RangeError for a day that is none
 */
export async function readPartnerRewards(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  filter: PartnerRewardFilter,
  { limit = defaultLimit, cursor }: PageQuery,
): Promise<Page<RewardDoc>> {
  // One more than asked for tells whether there is a next page.
  const found = await models.rewards
    .find(conditionsOf(partnerId, filter, cursor))
    .sort({ _id: -1 })
    .limit(limit + 1)
    .hint(indexOf(filter))
    .lean<RewardDoc[]>();
  const items = found.slice(0, limit);
  return { items, nextCursor: cursorOf(found.length > limit ? (items.at(-1)?._id ?? null) : null) };
}

/**
 * What the whole list amounts to, by state and currency: from the totals of the days, which are some seconds
 * behind; of an order or a customer, who have few rewards, from these.
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
        { $limit: maxOfOne },
        ...totalled({ status: '$status', currency: '$currency' }, [
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
    ...totalled({ status: '$state.k', currency: '$currency' }, [
      ...['$state.v.rewards', '$state.v.points', '$state.v.cents'],
    ]),
  ]);
}

/** Sums what is grouped, the most rewards first; what came to nothing is left out. */
const totalled = (_id: object, [rewards, points, cents]: readonly unknown[]): PipelineStage[] => [
  {
    $group: {
      _id,
      ...{ rewards: { $sum: rewards }, points: { $sum: points }, cents: { $sum: cents } },
    },
  },
  { $match: { rewards: { $gt: 0 } } },
  { $sort: { rewards: -1, _id: 1 } },
  {
    $project: {
      ...{ _id: 0, status: '$_id.status', currency: '$_id.currency' },
      ...{ rewards: 1, points: 1, cents: 1 },
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

/** The list as CSV, newest first, read as fast as it is taken: at most `maxCsvRows` rows. */
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
      .hint(indexOf(filter))
      .lean<RewardDoc[]>();
    yield* rows;
    if (rows.length < csvPageRows) return;
    cursor = rows.at(-1)?._id;
  }
}

/** @param cursor the id of a reward; older ones alone */
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
    ...{ partnerId, mode },
    status: status === undefined ? { $in: rewardStatuses } : status,
    ...(externalOrderId !== undefined && { externalOrderId }),
    ...(customerId !== undefined && { customerId }),
    ...(within.length > 0 && { $and: within }),
  };
}

/** An order or a customer has few rewards; every other list is a range for each state, in order. */
function indexOf({ externalOrderId, customerId }: PartnerRewardFilter) {
  if (externalOrderId !== undefined) return { externalOrderId: 1 as const, _id: -1 as const };
  if (customerId !== undefined) return { customerId: 1 as const, _id: -1 as const };
  return partnerRewardsIndex;
}
