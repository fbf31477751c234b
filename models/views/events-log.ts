import { ServiceError } from '../../domain/errors.ts';
import { modes } from '../../domain/mode.ts';
import { requestTypes } from '../../domain/request.ts';
import { dayMs, dayStartMs } from '../../domain/utc-days.ts';
import { idBound, isIdOf } from '../../platform/ids.ts';
import type { Models } from '../schemas/index.ts';
import { everyonesLogIndexes, type IntegrationEventDoc, logIndexes } from '../schemas/requests.ts';
import type { LogFilter, LogPlace, Span } from './log-filter.ts';

const endOfTimeMs = Date.UTC(9999, 11, 31);

export interface LogPage {
  /** Newest first. */
  events: IntegrationEventDoc[];
  /** The places where the pages of newer and of older events begin; null if there are none. */
  newer: string | null;
  older: string | null;
}

/**
 * A page of the log of all signed requests, accepted or refused (docs/domain.md, Storage). It costs the
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
): Promise<IntegrationEventDoc[]> {
  const span = spanOf(filter, place);
  return await findStored(models, filter, span, limit);
}

/** Ids sort by time, so both days and pages are ranges of ids. */
function spanOf({ fromDay, toDay }: LogFilter, place?: LogPlace): Span {
  for (const id of Object.values(place ?? {})) {
    if (isIdOf('integrationEvent', id)) continue;
    throw new ServiceError('VALIDATION_FAILED', 'The cursor must come from a previous page.');
  }
  const boundAt = (atMs: number) => idBound('integrationEvent', atMs);
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
): Promise<IntegrationEventDoc[]> {
  const indexes = partnerId === null ? everyonesLogIndexes : logIndexes;
  const ofFew = {
    mode: mode ? { $eq: mode } : { $in: modes },
    type: type ? { $eq: type } : { $in: requestTypes },
  };
  const ofOrder = externalOrderId !== undefined;
  const which = ofOrder ? 'order' : code === undefined ? 'few' : 'code';
  return await models.integrationEvents.collection
    .find(
      {
        ...(partnerId !== null && { partnerId }),
        ...(code !== undefined && { code }),
        ...(ofOrder && { externalOrderId: { $eq: externalOrderId, $type: 'string' } }),
        ...ofFew,
        _id: { $gt: above, $lt: below },
      },
      { sort: { _id: newestFirst ? -1 : 1 }, limit, hint: indexes[which] },
    )
    .toArray();
}
