import type { Readable } from 'node:stream';
import { partnerErrorCodes } from '../domain/error-codes.ts';
import { ServiceError } from '../domain/errors.ts';
import { type Mode, modes } from '../domain/mode.ts';
import { type RequestType, requestTypes } from '../domain/purchase.ts';
import { type RewardStatus, statusOf } from '../domain/reward.ts';
import { pointsTaken, statusWords } from '../domain/reward-words.ts';
import { dayMs, dayStartMs } from '../domain/utc-days.ts';
import type { OrderEventDoc } from '../models/schemas/events.ts';
import type { Models } from '../models/schemas/index.ts';
import { everyonesLogIndexes, type LoggedRequest, logIndexes } from '../models/schemas/requests.ts';
import type { RewardDoc } from '../models/schemas/rewards.ts';
import { amountCell, type CsvColumns, csvOf, maxCsvRows } from '../platform/csv.ts';
import { idBound, isIdOf } from '../platform/ids.ts';
import type { ViewDeps } from './deps.ts';
import type { PartnerScope, ReadScope } from './partner-scope.ts';

const endOfTimeMs = Date.UTC(9999, 11, 31);

export interface LogPage {
  /** Newest first. */
  events: LoggedRequest[];
  /** The places where the pages of newer and of older events begin; null if there are none. */
  newer: string | null;
  older: string | null;
}

/**
 * A page of the log of all signed requests, accepted or refused (docs/concepts/how-it-works.md, Storage). It costs the
 * same wherever it begins and however many requests there are.
 * @param limit maximum number of events, at least 1
 * @throws RangeError for an invalid day, ServiceError VALIDATION_FAILED for an invalid place
 */
export async function readLog(
  { models }: { models: Models },
  filter: LogFilter,
  limit: number,
  place?: LogPlace,
): Promise<LogPage> {
  const isBackward = place !== undefined && 'newerThan' in place;
  // One more, to find out whether there is a next page.
  const found = await findRequests(models, filter, limit + 1, place);
  const hasMore = found.length > limit;
  // All newer events fit on the first page.
  if (isBackward && !hasMore) return await readLog({ models }, filter, limit);
  const shown = found.slice(0, limit);
  const events = isBackward ? shown.reverse() : shown;
  return {
    events,
    newer: place === undefined ? null : (events[0]?._id ?? null),
    older: isBackward || hasMore ? (events.at(-1)?._id ?? null) : null,
  };
}

/**
 * Requests from a place on: newest first, or oldest first if `place` asks for newer ones.
 * @param limit maximum number of requests, at least 1
 * @throws RangeError for an invalid day, ServiceError VALIDATION_FAILED for an invalid place
 */
export async function findRequests(
  models: Models,
  filter: LogFilter,
  limit: number,
  place?: LogPlace,
): Promise<LoggedRequest[]> {
  const span = spanOf(filter, place);
  return await findStored(models, filter, span, limit);
}

/** Ids sort by time, so both days and pages are ranges of ids. */
function spanOf({ fromDay, toDay }: LogFilter, place?: LogPlace): Span {
  for (const id of Object.values(place ?? {})) {
    if (isIdOf('loggedRequest', id)) continue;
    throw new ServiceError('VALIDATION_FAILED', 'The cursor must come from a previous page.');
  }
  const boundAt = (atMs: number) => idBound('loggedRequest', atMs);
  const above = [boundAt(fromDay === undefined ? 0 : dayStartMs(fromDay))];
  const below = [boundAt(toDay === undefined ? endOfTimeMs : dayStartMs(toDay) + dayMs)];
  const newestFirst = place === undefined || 'olderThan' in place;
  if (place && 'newerThan' in place) above.push(place.newerThan);
  if (place && 'olderThan' in place) below.push(place.olderThan);
  return { above: above.toSorted().at(-1) ?? '', below: below.toSorted()[0] ?? '', newestFirst };
}

async function findStored(
  models: Models,
  { partnerId, mode, type, code, externalOrderId }: LogFilter,
  { above, below, newestFirst }: Span,
  limit: number,
): Promise<LoggedRequest[]> {
  const indexes = partnerId === null ? everyonesLogIndexes : logIndexes;
  const ofFew = {
    mode: mode ? { $eq: mode } : { $in: modes },
    type: type ? { $eq: type } : { $in: requestTypes },
  };
  const ofOrder = externalOrderId !== undefined;
  const which = ofOrder ? 'order' : code === undefined ? 'few' : 'code';
  return await models.requestLog.collection
    .find(
      {
        ...(partnerId !== null && { partnerId }),
        ...(code !== undefined && { code: code === anyRefusal ? { $in: refusals } : code }),
        ...(ofOrder && { externalOrderId: { $eq: externalOrderId, $type: 'string' } }),
        ...ofFew,
        _id: { $gt: above, $lt: below },
      },
      { sort: { _id: newestFirst ? -1 : 1 }, limit, hint: indexes[which] },
    )
    .toArray();
}

/** The filter for refusals with any code. */
export const anyRefusal = 'REFUSED';
/** In one mode, few enough ranges of the index to be merged in order. */
const refusals = [...partnerErrorCodes, 'REHEARSED'];

/** Filters of the log; a request must meet all given ones. */
export interface LogFilter {
  partnerId: ReadScope;
  mode?: Mode | undefined;
  type?: RequestType | undefined;
  /** `ACCEPTED`, `REPLAYED`, `OK`, the code of a refusal, or `REFUSED` for them all. */
  code?: string | undefined;
  externalOrderId?: string | undefined;
  /** UTC days, `yyyy-mm-dd`, inclusive. */
  fromDay?: string | undefined;
  toDay?: string | undefined;
}

/** Where a page begins: next to the row with this id. */
export type LogPlace = { olderThan: string } | { newerThan: string };

/** A range of ids between two exclusive bounds, with a direction. */
export interface Span {
  above: string;
  below: string;
  newestFirst: boolean;
}

const pageRows = 1_000;

/** A request with the outcome of what it recorded. */
interface LogRow extends LoggedRequest {
  outcome: LogOutcome | undefined;
}

const columns: CsvColumns<LogRow> = {
  receivedAt: ({ receivedAt }) => receivedAt,
  partnerId: ({ partnerId }) => partnerId,
  integrationId: ({ integrationId }) => integrationId,
  credentialId: ({ credentialId }) => credentialId,
  mode: ({ mode }) => mode,
  type: ({ type }) => type,
  externalOrderId: ({ externalOrderId }) => externalOrderId,
  status: ({ status }) => status,
  code: ({ code }) => code,
  amount: ({ outcome }) =>
    outcome?.amount && amountCell(outcome.amount.cents, outcome.amount.currency),
  currency: ({ outcome }) => outcome?.amount?.currency,
  points: ({ outcome }) => outcome?.points,
  state: ({ outcome }) => outcome?.rewardStatus && statusWords[outcome.rewardStatus],
  count: ({ count }) => count,
  eventId: ({ eventId }) => eventId,
  requestId: ({ requestId }) => requestId,
  method: ({ method }) => method,
  path: ({ path }) => path,
  network: ({ network }) => network,
};

/**
 * The log as a CSV stream, newest first, with at most `maxCsvRows` rows.
 * @throws RangeError, through the stream, for an invalid day
 */
export function logCsv(
  { models }: { models: Models },
  filter: LogFilter & { partnerId: PartnerScope },
  maxRows = maxCsvRows,
): Readable {
  return csvOf(columns, requests(models, filter, maxRows));
}

async function* requests(
  models: Models,
  filter: LogFilter & { partnerId: PartnerScope },
  maxRows: number,
): AsyncGenerator<LogRow> {
  let place: LogPlace | undefined;
  for (let left = maxRows; left > 0; ) {
    const page = await findRequests(models, filter, Math.min(left, pageRows), place);
    const outcomes = await readLogOutcomes({ models }, filter.partnerId, page);
    yield* page.map((one) => ({ ...one, outcome: outcomes.get(one.eventId ?? '') }));
    const last = page.at(-1);
    if (last === undefined) return;
    place = { olderThan: last._id };
    left -= page.length;
  }
}

/** The outcome of a request that recorded an event. */
export interface LogOutcome {
  rewardId: string;
  /** The order's amount, or what a refund gave back, below zero; null for a refund whose reward is not created. */
  amount: { cents: number; currency: string } | null;
  /** What the purchase earned, or what the refund took, zero or below; null until that is decided. */
  points: number | null;
  rewardStatus: RewardStatus | null;
}

type Event = Pick<OrderEventDoc, '_id' | 'rewardId' | 'purchase' | 'amountCents'>;

/** The outcomes of the events on a page of the log, by their ids. Costs two reads. */
export async function readLogOutcomes(
  { models }: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  log: readonly Pick<LoggedRequest, 'eventId'>[],
): Promise<Map<string, LogOutcome>> {
  const eventIds = [...new Set(log.flatMap(({ eventId }) => eventId ?? []))];
  if (eventIds.length === 0) return new Map();
  const events = await models.orderEvents
    .find(
      { partnerId, _id: { $in: eventIds } },
      {
        rewardId: 1,
        amountCents: 1,
        'purchase.currency': 1,
        'purchase.arithmetic.subtotalCents': 1,
        'purchase.arithmetic.points': 1,
      },
    )
    .lean<Event[]>();
  return await outcomesOf(models, partnerId, events);
}

/** The outcomes of events, by their ids. Costs one read. */
export async function outcomesOf(
  { rewards }: Models,
  partnerId: PartnerScope,
  events: readonly Event[],
): Promise<Map<string, LogOutcome>> {
  const found = await rewards.find(
    { partnerId, _id: { $in: events.map(({ rewardId }) => rewardId) } },
    { points: 1, state: 1, currency: 1, moves: 1 },
  );
  const rewardOf = new Map(found.map((reward) => [reward._id, reward]));
  return new Map(
    events.map(({ _id, rewardId, purchase, amountCents }) => {
      const reward = rewardOf.get(rewardId);
      const did = purchase ? earned(purchase) : tookBack(_id, amountCents ?? null, reward);
      return [_id, { rewardId, ...did, rewardStatus: reward ? statusOf(reward.state) : null }];
    }),
  );
}

const earned = ({ currency, arithmetic }: NonNullable<OrderEventDoc['purchase']>) => ({
  amount: { cents: arithmetic.subtotalCents, currency },
  points: arithmetic.points,
});

function tookBack(
  eventId: string,
  amountCents: number | null,
  reward: Pick<RewardDoc, 'points' | 'moves' | 'currency'> | undefined,
) {
  const taken = reward && pointsTaken(reward).get(eventId);
  return {
    amount:
      reward && amountCents !== null ? { cents: 0 - amountCents, currency: reward.currency } : null,
    points: typeof taken === 'number' ? 0 - taken : null,
  };
}
