import type { Readable } from 'node:stream';
import type { PipelineStage, QueryFilter } from 'mongoose';
import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import { walletIdOf } from '../../domain/postings.ts';
import { missingCentsOf } from '../../domain/queue.ts';
import {
  customerStatusOf,
  type RewardState,
  type RewardStatus,
  rewardStates,
  statesOf,
  statusOf,
} from '../../domain/reward.ts';
import { type CsvColumns, csvOf } from '../../platform/csv.ts';
import { idBound } from '../../platform/ids.ts';
import type { Sealer } from '../../platform/sealing.ts';
import { findPartner } from '../identity/partners.ts';
import { findReward, requireReward } from '../rewards/find-reward.ts';
import type { Models } from '../schemas/index.ts';
import { missingFundsIndex, partnerRewardsIndex, type RewardDoc } from '../schemas/rewards.ts';
import { openSealed } from '../store/data-keys.ts';
import { createdOn, type DayRange } from '../store/day-range.ts';
import { cursorOf, defaultLimit, given, type Page, type PageQuery, page } from '../store/paging.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import { readEventDetails } from './event.ts';
import { readPartnerNames } from './names.ts';
import { type PartnerScope, scopeOf } from './partner-scope.ts';

/** Filters of the list of rewards. */
export interface RewardFilter extends DayRange {
  status?: RewardStatus | undefined;
  mode?: Mode | undefined;
  partnerId?: string | undefined;
  externalOrderId?: string | undefined;
  customerId?: string | undefined;
}

/** A page of all partners' rewards, for operators. */
export async function readRewards({ models }: ModelDeps, filter: RewardFilter, query: PageQuery) {
  const rewards = await page(models.rewards, rewardsIn(filter), query, (one: RewardDoc) => one);
  return { ...rewards, nameOf: await readPartnerNames({ models }, rewards.items) };
}

/** A filter by status as one by the states that have it. */
const byState = <Filter extends { status?: RewardStatus | undefined }>({
  status,
  ...rest
}: Filter) => ({ ...rest, state: status && { $in: statesOf(status) } });

/** The conditions on the rewards of a list. */
export function rewardsIn({ fromDay, toDay, ...equal }: RewardFilter): Record<string, unknown>[] {
  return [
    ...given(byState(equal)),
    ...createdOn({ fromDay, toDay }, (atMs) => idBound('reward', atMs)),
  ];
}

export type Rewards = Awaited<ReturnType<typeof readRewards>>;

/** A reward of any partner, for operators. @throws ServiceError NOT_FOUND */
export const readAnyReward = ({ models }: ModelDeps, rewardId: string): Promise<RewardDoc> =>
  requireReward(models, rewardId);

/** A reward of a partner; null if there is none. */
export const readOwnReward = (
  { models }: ModelDeps,
  partnerId: PartnerScope,
  rewardId: string,
): Promise<RewardDoc | null> => findReward(models, { partnerId, rewardId });

/** The details of a reward, for operators; null if its purchase is missing. */
export async function readRewardDetails(
  deps: Pick<ViewDeps, 'models' | 'sealer' | 'now'>,
  reward: RewardDoc,
) {
  const details = await readEventDetails(
    deps,
    scopeOf({ _id: reward.partnerId }),
    reward.purchaseEventId,
  );
  if (details === null) return null;
  return { reward, details, partner: await findPartner(deps.models, reward.partnerId) };
}

export type RewardDetails = NonNullable<Awaited<ReturnType<typeof readRewardDetails>>>;

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

/** The total of the rewards of a list with one state and currency. */
export interface RewardTotal {
  state: RewardState;
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
 * The totals of the whole list by state and currency. They are read from the daily totals, which lag by
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
        ...totalStages({ state: '$state', currency: '$currency' }, [
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
    ...(status === undefined ? [] : [{ $match: { 'state.k': { $in: statesOf(status) } } }]),
    ...totalStages({ state: '$state.k', currency: '$currency' }, [
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
      state: '$_id.state',
      currency: '$_id.currency',
      rewards: 1,
      points: 1,
      cents: 1,
    },
  },
];

const columns: CsvColumns<RewardDoc> = {
  createdAt: ({ createdAt }) => createdAt,
  rewardId: ({ _id }) => _id,
  mode: ({ mode }) => mode,
  externalOrderId: ({ externalOrderId }) => externalOrderId,
  status: ({ state }) => statusOf(state),
  customerStatus: ({ state }) => customerStatusOf(state),
  points: ({ points }) => points,
  costCents: ({ liabilityCents }) => liabilityCents,
  currency: ({ currency }) => currency,
  claimExpiresAt: ({ claimExpiresAt }) => claimExpiresAt,
  customerId: ({ customerId }) => customerId,
  eventId: ({ purchaseEventId }) => purchaseEventId,
  integrationId: ({ integrationId }) => integrationId,
};

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
    state: { $in: status === undefined ? rewardStates : statesOf(status) },
    ...(externalOrderId !== undefined && { externalOrderId }),
    ...(customerId !== undefined && { customerId }),
    ...(within.length > 0 && { $and: within }),
  };
}

/** An order or a customer has few rewards; every other list is a sorted range for each state. */
function indexOf({ externalOrderId, customerId }: PartnerRewardFilter) {
  if (externalOrderId !== undefined) return { externalOrderId: 1 as const, _id: -1 as const };
  if (customerId !== undefined) return { customerId: 1 as const, _id: -1 as const };
  return partnerRewardsIndex;
}

/** At most this many rewards are summed. */
const maxMissing = 20_000;

/** The funds that a partner's rewards are waiting for. */
export interface MissingFunds {
  partnerId: string;
  mode: Mode;
  currency: string;
  rewards: number;
  /** What they cost, less what is available. */
  cents: number;
}

/**
 * The funds that rewards are waiting for, by partner: LIVE first, then by amount. Reads of rewards only the index,
 * and at most `maxMissing`.
 */
export async function readMissingFunds({ rewards, wallets }: Models): Promise<MissingFunds[]> {
  const waiting = await rewards
    .aggregate<MissingFunds>([
      { $match: { state: 'AWAITING_FUNDING' } },
      { $limit: maxMissing },
      {
        $group: {
          _id: { partnerId: '$partnerId', mode: '$mode', currency: '$currency' },
          rewards: { $sum: 1 },
          cents: { $sum: '$liabilityCents' },
        },
      },
      { $sort: { '_id.mode': 1, cents: -1, '_id.partnerId': 1 } },
      {
        $project: {
          _id: 0,
          partnerId: '$_id.partnerId',
          mode: '$_id.mode',
          currency: '$_id.currency',
          rewards: 1,
          cents: 1,
        },
      },
    ])
    .option({ hint: missingFundsIndex });
  const found = await wallets.find(
    {
      partnerId: { $in: waiting.map(({ partnerId }) => partnerId) },
      _id: { $in: waiting.map(walletIdOf) },
    },
    { balances: 1 },
  );
  const availableIn = new Map(found.map(({ _id, balances }) => [_id, balances.funding ?? 0]));
  return waiting.map((one) => ({
    ...one,
    cents: missingCentsOf({
      availableCents: availableIn.get(walletIdOf(one)) ?? 0,
      waitingCents: one.cents,
    }),
  }));
}

/** Why an operator cancelled a reward; null if none did, or if the customer was erased. */
export async function cancellationReasonOf(
  deps: { models: Models; sealer: Sealer },
  { _id: context, partnerId, cancellation }: RewardDoc,
): Promise<string | null> {
  if (cancellation === null) return null;
  return await openSealed(deps, { partnerId, sealed: cancellation.sealedReason, context });
}

/**
 * A TEST reward of a partner.
 * @throws ServiceError NOT_FOUND, also for LIVE rewards and another partner's
 */
export async function findTestReward(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  rewardId: string,
): Promise<RewardDoc> {
  const reward = await findReward(models, { partnerId, mode: 'TEST', rewardId });
  if (reward) return reward;
  throw new ServiceError(
    'NOT_FOUND',
    "There is no such TEST reward. LIVE rewards can't be moved by hand.",
  );
}
