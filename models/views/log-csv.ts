import type { Readable } from 'node:stream';
import { type CsvColumn, csvOf } from '../../platform/csv.ts';
import type { Models } from '../schemas/index.ts';
import type { IntegrationEventDoc } from '../schemas/requests.ts';
import { findRequests } from './events-log.ts';
import type { LogFilter, LogPlace } from './log-filter.ts';

/** More would be too much for a spreadsheet. Larger logs can be downloaded by day. */
export const maxCsvRows = 100_000;
const pageRows = 1_000;

const columns: CsvColumn<IntegrationEventDoc>[] = [
  { header: 'receivedAt', of: ({ receivedAt }) => receivedAt.toISOString() },
  { header: 'partnerId', of: ({ partnerId }) => partnerId },
  { header: 'integrationId', of: ({ integrationId }) => integrationId },
  { header: 'credentialId', of: ({ credentialId }) => credentialId },
  { header: 'mode', of: ({ mode }) => mode },
  { header: 'type', of: ({ type }) => type },
  { header: 'externalOrderId', of: ({ externalOrderId }) => externalOrderId },
  { header: 'status', of: ({ status }) => status },
  { header: 'code', of: ({ code }) => code },
  { header: 'count', of: ({ count }) => count },
  { header: 'eventId', of: ({ eventId }) => eventId },
  { header: 'requestId', of: ({ requestId }) => requestId },
  { header: 'method', of: ({ method }) => method },
  { header: 'path', of: ({ path }) => path },
  { header: 'network', of: ({ network }) => network },
];

/**
 * The log as a CSV stream, newest first, with at most `maxCsvRows` rows.
 * @throws RangeError, through the stream, for an invalid day
 */
export function logCsv(
  { models }: { models: Models },
  filter: LogFilter,
  maxRows = maxCsvRows,
): Readable {
  return csvOf(columns, requests(models, filter, maxRows));
}

async function* requests(models: Models, filter: LogFilter, maxRows: number) {
  let place: LogPlace | undefined;
  for (let left = maxRows; left > 0; ) {
    const page = await findRequests(models, filter, Math.min(left, pageRows), place);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    place = { olderThan: last._id };
    left -= page.length;
  }
}
