import type { Readable } from 'node:stream';
import type { QueryFilter } from 'mongoose';
import { ServiceError } from '../domain/errors.ts';
import type { Mode } from '../domain/mode.ts';
import { walletIdOf } from '../domain/postings.ts';
import { missingCentsOf } from '../domain/queue.ts';
import {
  isOver,
  pointsNow,
  type RewardState,
  type RewardStatus,
  rewardStates,
  statesOf,
} from '../domain/reward.ts';
import type { Total } from '../domain/reward-totals.ts';
import { stateWords } from '../domain/reward-words.ts';
import { dayStartMs } from '../domain/utc-days.ts';
import { findReward, requireReward } from '../models/rewards/find-reward.ts';
import type { Models } from '../models/schemas/index.ts';
import {
  missingFundsIndex,
  partnerRewardsIndex,
  type RewardDoc,
} from '../models/schemas/rewards.ts';
import { openSealed } from '../models/store/data-keys.ts';
import { createdOn, type DayRange } from '../models/store/day-range.ts';
import {
  cursorOf,
  defaultLimit,
  given,
  type ListPage,
  type PageQuery,
  readPage,
} from '../models/store/paging.ts';
import { amountCell, type CsvColumns, csvOf, maxCsvRows } from '../platform/csv.ts';
import { idBound } from '../platform/ids.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import { readPartnerNames } from './names.ts';
import type { PartnerScope } from './partner-scope.ts';

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
  const rewards = await readPage(models.rewards, rewardsIn(filter), query, (one: RewardDoc) => one);
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

/** Filters of a partner's rewards; a reward must meet all given ones. Days are those of its purchase. */
export interface PartnerRewardFilter extends DayRange {
  mode: Mode;
  status?: RewardStatus | undefined;
  externalOrderId?: string | undefined;
  customerId?: string | undefined;
}

/** No more rewards are summed, which bounds the cost. */
export const maxSummed = 100_000;
const csvPageRows = 1_000;

/** The total of the rewards of a list with one state and currency. */
export interface RewardTotal extends Total {
  state: RewardState;
  currency: string;
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
): Promise<ListPage<RewardDoc>> {
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
 * The totals of the whole list by state and currency, the most rewards first. Those of all rewards stand on the
 * wallet; for some days, an order or a customer, the index of at most `maxSummed` rewards is summed.
 */
export async function readRewardTotals(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  filter: PartnerRewardFilter,
): Promise<RewardTotal[]> {
  const { mode, status, externalOrderId, customerId, fromDay, toDay } = filter;
  const isOfSome = [externalOrderId, customerId, fromDay, toDay].some((one) => one !== undefined);
  if (isOfSome) {
    return await models.rewards.aggregate<RewardTotal>(
      [
        { $match: conditionsOf(partnerId, filter) },
        { $limit: maxSummed },
        {
          $group: {
            _id: { state: '$state', currency: '$currency' },
            rewards: { $sum: 1 },
            points: { $sum: '$points' },
            cents: { $sum: '$liabilityCents' },
          },
        },
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
      ],
      { hint: indexOf(filter) },
    );
  }
  const _id = walletIdOf({ partnerId, mode });
  const wallet = await models.wallets.findOne({ partnerId, _id }, { rewards: 1 });
  const states = status === undefined ? rewardStates : statesOf(status);
  return Object.entries(wallet?.rewards ?? {})
    .flatMap(([currency, totals]) =>
      states.flatMap((state): RewardTotal[] => {
        const total = totals[state];
        return total && total.rewards > 0 ? [{ state, currency, ...total }] : [];
      }),
    )
    .toSorted((a, b) => b.rewards - a.rewards);
}

/**
 * How many purchases were made on each of some UTC days in a row, of at most `maxSummed` in all.
 * @param days `yyyy-mm-dd`, oldest first
 */
export async function readPurchasesOfDays(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  mode: Mode,
  days: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const [fromDay, toDay] = [days[0], days.at(-1)];
  const boundaries = days.map((day) => idBound('reward', dayStartMs(day)));
  const found = await models.rewards.aggregate<{ _id: string; count: number }>(
    [
      { $match: conditionsOf(partnerId, { mode, fromDay, toDay }) },
      { $limit: maxSummed },
      { $bucket: { groupBy: '$_id', boundaries, default: boundaries.at(-1) ?? '' } },
    ],
    { hint: partnerRewardsIndex },
  );
  const countOf = new Map(found.map(({ _id, count }) => [_id, count]));
  return new Map(days.map((day, place) => [day, countOf.get(boundaries[place] ?? '') ?? 0]));
}

const columns: CsvColumns<RewardDoc> = {
  createdAt: ({ createdAt }) => createdAt,
  rewardId: ({ _id }) => _id,
  mode: ({ mode }) => mode,
  externalOrderId: ({ externalOrderId }) => externalOrderId,
  state: ({ state }) => stateWords(state),
  amount: ({ arithmetic, currency }) => amountCell(arithmetic.subtotalCents, currency),
  refunded: ({ refundedCents, currency }) => amountCell(refundedCents, currency),
  pointsNow,
  cost: (one) => (isOver(one) ? null : amountCell(one.liabilityCents, one.currency)),
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
