import { ServiceError } from '../domain/errors.ts';
import type { Mode } from '../domain/mode.ts';
import {
  differencesOf,
  type FileRow,
  isRefundRow,
  missingRefundOf,
  type OrderColumnNames,
  type OrderFault,
  type OrderRow,
  purchaseRepairOf,
  type ReportedOrder,
} from '../domain/orders.ts';
import { dayMs, dayStartMs } from '../domain/utc-days.ts';
import { requireIntegration } from '../models/identity/integrations.ts';
import { findPartner } from '../models/identity/partners.ts';
import { externalIdIndexes, lookUpIndexes, type OrderEventDoc } from '../models/schemas/events.ts';
import type { Models } from '../models/schemas/index.ts';
import type {
  ComparisonJob,
  ComparisonResult,
  JobProgress,
  OrderRows,
} from '../models/schemas/jobs.ts';
import { idBound, newId, timeOfId } from '../platform/ids.ts';
import { faultsOfRefunds } from './compare-refunds.ts';
import { openFaultBook } from './fault-book.ts';
import { enqueueJob, type JobOwner, newJobOf, requireNoneOpen } from './jobs.ts';
import { parseOrderFile } from './parse-order-file.ts';

const rowsOfDocument = 500;
const maxRangeDays = 366;

/** When orders happened, in milliseconds since the epoch, both inclusive. */
export interface HappenedIn {
  fromMs: number;
  toMs: number;
}

/** What an order file is compared with. */
export interface ComparisonScope {
  mode: Mode;
  integrationId: string;
  /**
   * UTC days, both inclusive, by the time of receipt: orders reported then and missing from the
   * file are reported as well. OF_FILE: from its first to its last row, by the time of the order,
   * if every row has one. Or that time itself, in milliseconds, both inclusive.
   */
  range: { fromDay: string; toDay: string } | HappenedIn | 'OF_FILE' | null;
  /**
   * The column names of the file, where they differ from ours; saved for the next file of the
   * integration.
   */
  columns?: OrderColumnNames;
}

/**
 * Reads an uploaded order file as it arrives, and queues its comparison. The names of its columns are
 * remembered.
 * @throws ServiceError as `queueComparison`
 */
export async function compareOrderFile(
  deps: { models: Models; now: () => number },
  owner: JobOwner,
  scope: ComparisonScope,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ComparisonJob> {
  const { columns = {}, integrationId } = scope;
  const job = await queueComparison(deps, owner, scope, (currency) =>
    parseOrderFile(bytes, columns, currency),
  );
  await deps.models.integrations.updateOne(
    { partnerId: owner.partnerId, _id: integrationId },
    { $set: { orderColumns: columns } },
  );
  return job;
}

/**
 * Stores what is to be compared, as it is read, and queues the comparison. An invalid file is refused
 * immediately, naming its wrong rows, and leaves nothing behind.
 * @param read reads the file; amounts in rows that name no currency are in the partner's
 * @param fileHash of a file that a program sent, by which a repeated request is recognized
 * @throws ServiceError VALIDATION_FAILED, PAYLOAD_TOO_LARGE; CONFLICT while a comparison is open
 */
export async function queueComparison(
  { models, now }: { models: Models; now: () => number },
  { partnerId, requestedBy }: JobOwner,
  { mode, integrationId, range }: ComparisonScope,
  read: (usualCurrency: string) => AsyncIterable<FileRow>,
  fileHash: string | null = null,
): Promise<ComparisonJob> {
  await requireIntegration(models, partnerId, integrationId);
  if (range !== null && range !== 'OF_FILE') requireRange(range);
  const isOfDays = range !== null && range !== 'OF_FILE' && 'fromDay' in range;
  await requireNoneOpen(models, partnerId, 'ORDER_COMPARISON');
  const jobId = newId('job');
  const start = newJobOf({ partnerId, requestedBy }, new Date(now()));
  const file = { partnerId, jobId, expiresAt: start.expiresAt };
  try {
    const { currency } = await findPartner(models, partnerId);
    const { between, ...stored } = await store(models, file, read(currency));
    const happened = range === 'OF_FILE' ? between : isOfDays ? null : range;
    const job: ComparisonJob = {
      ...start,
      _id: jobId,
      kind: 'ORDER_COMPARISON',
      mode,
      input: {
        integrationId,
        ...stored,
        range: isOfDays ? range : null,
        between: happened,
        fileHash,
      },
      progress: { done: 0, total: stored.rows, of: 'ROWS' },
    };
    await enqueueJob(models, job);
    return job;
  } catch (error) {
    await models.jobRows.deleteMany({ partnerId, jobId });
    throw error;
  }
}

/** How many different unknown statuses are named. */
const maxStatuses = 20;
const secondMs = 1_000;

/** Stores the rows of a file. @returns what is known of all of them */
async function store(
  models: Models,
  file: { partnerId: string; jobId: string; expiresAt: Date },
  orders: AsyncIterable<FileRow>,
) {
  let stored = 0;
  let seq = 0;
  let rows: FileRow[] = [];
  let hasRefunds = false;
  const times = { fromMs: Number.POSITIVE_INFINITY, toMs: 0, isWhole: true };
  const statuses = new Map<string, number>();
  const write = async () => {
    seq += 1;
    await models.jobRows.create({ _id: newId('jobRows'), ...file, part: 'ORDERS', seq, rows });
    stored += rows.length;
    rows = [];
  };
  for await (const order of orders) {
    const atMs = order.occurredAt === null ? undefined : Date.parse(order.occurredAt);
    if (atMs === undefined) times.isWhole = false;
    else {
      times.fromMs = Math.min(times.fromMs, Math.floor(atMs / secondMs) * secondMs);
      times.toMs = Math.max(times.toMs, atMs + secondMs - 1);
    }
    if (isRefundRow(order)) hasRefunds = true;
    else if (order.unknownStatus !== undefined) {
      statuses.set(order.unknownStatus, 1 + (statuses.get(order.unknownStatus) ?? 0));
    }
    rows.push(order);
    if (rows.length === rowsOfDocument) await write();
  }
  if (rows.length > 0) await write();
  const isBounded =
    stored > 0 && times.isWhole && times.toMs - times.fromMs <= maxRangeDays * dayMs;
  const named = [...statuses].slice(0, maxStatuses);
  return {
    rows: stored,
    hasRefunds,
    between: isBounded ? { fromMs: times.fromMs, toMs: times.toMs } : null,
    unknownStatuses: named.map(([status, count]) => ({ status, rows: count })),
    unknownRows: [...statuses.values()].reduce((sum, count) => sum + count, 0),
  };
}

function requireRange(range: { fromDay: string; toDay: string } | HappenedIn): void {
  const days =
    'fromDay' in range
      ? (dayStartMs(range.toDay) - dayStartMs(range.fromDay)) / dayMs + 1
      : Math.ceil((range.toMs + 1 - range.fromMs) / dayMs);
  if (days >= 1 && days <= maxRangeDays) return;
  throw new ServiceError(
    'VALIDATION_FAILED',
    `Choose 1 to ${maxRangeDays} days, the first before the last.`,
  );
}

const pageEvents = 1_000;
const ofMode = { partnerId: 1, mode: 1, _id: -1 } as const;

type Purchase = Pick<
  OrderEventDoc,
  '_id' | 'externalOrderId' | 'integrationId' | 'mode' | 'type' | 'purchase' | 'occurredAt'
>;

const fields = {
  externalOrderId: 1,
  integrationId: 1,
  mode: 1,
  type: 1,
  'purchase.currency': 1,
  'purchase.arithmetic.subtotalCents': 1,
  occurredAt: 1,
} as const;

/**
 * Compares an order file with the purchases that an integration reported, page by page: first every
 * order of the file by id, then, if the job has a range of days, what was received in it and is not
 * in the file. Holds the ids of the file and one page in memory.
 * @param tell called with the progress
 */
export async function runComparison(
  models: Models,
  job: ComparisonJob,
  reportProgress: (progress: JobProgress) => Promise<void>,
): Promise<ComparisonResult> {
  const { partnerId, _id: jobId, input } = job;
  const book = openFaultBook(models, job);
  await book.clear();
  /** The first row of each order, and of each refund. */
  const rowOf: RowOf = { order: new Map(), refund: new Map() };
  let done = 0;
  let matched = 0;
  for (let seq = 1; done < input.rows; seq++) {
    const page = await models.jobRows
      .findOne({ partnerId, jobId, part: 'ORDERS', seq })
      .lean<OrderRows>();
    if (page === null)
      throw new ServiceError('NOT_FOUND', 'The file is no longer stored. Upload it again.');
    const { rows } = page;
    const orders = rows.filter((row): row is OrderRow => !isRefundRow(row));
    const faults = [
      ...(await faultsOf(models, job, orders, rowOf.order)),
      ...(await faultsOfRefunds(models, job, rows.filter(isRefundRow), rowOf.refund)),
    ].toSorted((one, other) => (one.row ?? 0) - (other.row ?? 0));
    matched += rows.length - faults.length;
    await book.add(faults);
    done += rows.length;
    await reportProgress({ done, total: input.rows, of: 'ROWS' });
  }
  const window = windowOf(input);
  if (window !== null)
    await addUnlisted(models, job, window, rowOf, { add: book.add, reportProgress });
  return { matched, ...(await book.close()) };
}

interface RowOf {
  order: Map<string, number>;
  refund: Map<string, number>;
}

/** What is looked for in the file: what was received in a time, or also happened in it. */
interface Window {
  fromMs: number;
  toMs: number;
  happened: { fromMs: number; toMs: number } | null;
}

/** How long before and after its time an order may have been reported, to be looked for by that. */
const [earlyMs, lateMs] = [dayMs, 7 * dayMs];

function windowOf({ range, between }: ComparisonJob['input']): Window | null {
  if (between !== null) {
    const { fromMs, toMs } = between;
    return { fromMs: fromMs - earlyMs, toMs: toMs + lateMs, happened: between };
  }
  if (range === null) return null;
  const { fromDay, toDay } = range;
  return { fromMs: dayStartMs(fromDay), toMs: dayStartMs(toDay) + dayMs, happened: null };
}

/** At most one fault per row. */
async function faultsOf(
  models: Models,
  job: ComparisonJob,
  rows: readonly OrderRow[],
  rowOf: Map<string, number>,
): Promise<OrderFault[]> {
  const isFirst = ({ externalOrderId, row }: OrderRow) => {
    if (!rowOf.has(externalOrderId)) rowOf.set(externalOrderId, row);
    return rowOf.get(externalOrderId) === row;
  };
  const firsts = new Set(rows.filter(isFirst));
  const ids = [...firsts].map(({ externalOrderId }) => externalOrderId);
  const reported = await findReported(
    models,
    job,
    ids,
    rows.some(({ refunded, refundedCents }) => refunded !== null || refundedCents !== null),
  );
  const missing = ids.filter((id) => !reported.has(id));
  const elsewhere = await findElsewhere(models, job, missing);
  return rows.flatMap((row): OrderFault[] => {
    const { externalOrderId } = row;
    const heading = {
      externalOrderId,
      externalRefundId: null,
      row: row.row,
      eventId: null,
      repair: null,
    };
    if (!firsts.has(row)) {
      const what = `is already in row ${rowOf.get(externalOrderId)}`;
      return [{ kind: 'DUPLICATE', ...heading, what }];
    }
    const order = reported.get(externalOrderId);
    if (order === undefined) {
      const known = elsewhere.get(externalOrderId);
      const what = known ?? 'was never reported';
      return [{ kind: 'MISSING', ...heading, what, repair: known ? null : purchaseRepairOf(row) }];
    }
    const differences = differencesOf(row, order);
    if (differences.length === 0) return [];
    const what = differences.join('; ');
    const { eventId } = order;
    const repair = missingRefundOf(row, order);
    return [{ kind: 'MISMATCHED', ...heading, eventId, what, repair }];
  });
}

/** What the integration reported of these orders, by order id. */
async function findReported(
  models: Models,
  { partnerId, mode, input: { integrationId } }: ComparisonJob,
  ids: readonly string[],
  asksRefunds: boolean,
): Promise<Map<string, ReportedOrder>> {
  const { collection } = models.orderEvents;
  const purchases = await collection
    .find<Purchase>(
      { partnerId, mode, integrationId, externalOrderId: { $in: [...ids] }, type: 'PURCHASE' },
      { projection: fields, hint: externalIdIndexes.order },
    )
    .toArray();
  const eventIds = purchases.map(({ _id }) => _id);
  const refunded = asksRefunds
    ? await collection
        .aggregate<{ _id: string; cents: number }>([
          { $match: { partnerId, purchaseEventId: { $in: eventIds }, type: 'REFUND' } },
          { $group: { _id: '$purchaseEventId', cents: { $sum: '$amountCents' } } },
        ])
        .toArray()
    : [];
  const refundedOf = new Map(refunded.map(({ _id, cents }) => [_id, cents]));
  return new Map(
    purchases.map((event) => [
      event.externalOrderId,
      reportedOf(event, refundedOf.get(event._id) ?? null),
    ]),
  );
}

function reportedOf({ purchase, ...event }: Purchase, refunded: number | null): ReportedOrder {
  if (purchase === null) throw new Error(`${event._id} is not a purchase`);
  const { subtotalCents } = purchase.arithmetic;
  return {
    eventId: event._id,
    externalOrderId: event.externalOrderId,
    subtotalCents,
    currency: purchase.currency,
    occurredAt: event.occurredAt?.toISOString() ?? null,
    // What was dismissed may have been refunded again.
    refundedCents: refunded === null ? null : Math.min(refunded, subtotalCents),
  };
}

/**
 * The usual cause of missing orders, for people: other integrations or modes in which the partner
 * reported them.
 */
async function findElsewhere(
  models: Models,
  { partnerId, mode }: ComparisonJob,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await models.orderEvents.collection
    .find<Purchase>(
      { externalOrderId: { $in: [...ids] }, partnerId, type: 'PURCHASE' },
      { projection: fields, hint: lookUpIndexes.order },
    )
    .toArray();
  return new Map(
    found.map((event) => [
      event.externalOrderId,
      event.mode === mode
        ? `was reported by another integration, ${event.integrationId}`
        : `was reported in ${event.mode}, by ${event.integrationId}`,
    ]),
  );
}

/** Adds what was received in a time and is not in the file. */
async function addUnlisted(
  models: Models,
  { partnerId, mode, input: { integrationId, hasRefunds } }: ComparisonJob,
  { fromMs, toMs, happened }: Window,
  rowOf: RowOf,
  {
    add,
    reportProgress,
  }: {
    add: (faults: OrderFault[]) => Promise<void>;
    reportProgress: (progress: JobProgress) => Promise<void>;
  },
): Promise<void> {
  const total = Math.ceil((toMs - fromMs) / dayMs);
  const isUnlisted = (event: Unlisted): boolean => {
    if (event.integrationId !== integrationId) return false;
    const atMs = event.occurredAt?.getTime() ?? timeOfId(event._id);
    if (happened !== null && (atMs < happened.fromMs || atMs > happened.toMs)) return false;
    return event.type === 'PURCHASE'
      ? !rowOf.order.has(event.externalOrderId)
      : hasRefunds && !rowOf.refund.has(event.externalRefundId ?? '');
  };
  let after = idBound('event', fromMs);
  for (;;) {
    const events = await models.orderEvents.collection
      .find<Unlisted>(
        { partnerId, mode, _id: { $gt: after, $lt: idBound('event', toMs) } },
        {
          projection: { ...fields, externalRefundId: 1 },
          sort: { _id: 1 },
          limit: pageEvents,
          hint: ofMode,
        },
      )
      .toArray();
    const last = events.at(-1);
    if (last === undefined) break;
    await add(
      events.filter(isUnlisted).map(({ _id, externalOrderId, externalRefundId }) => ({
        kind: 'NOT_IN_FILE',
        externalOrderId,
        externalRefundId,
        row: null,
        eventId: _id,
        what: `was reported on ${new Date(timeOfId(_id)).toISOString()}`,
        repair: null,
      })),
    );
    after = last._id;
    await reportProgress({
      done: Math.floor((timeOfId(after) - fromMs) / dayMs),
      total,
      of: 'DAYS',
    });
  }
  await reportProgress({ done: total, total, of: 'DAYS' });
}

type Unlisted = Purchase & Pick<OrderEventDoc, 'externalRefundId'>;
