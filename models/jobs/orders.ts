import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import {
  differencesOf,
  type OrderColumnNames,
  type OrderFault,
  type OrderFaultKind,
  type OrderRow,
  orderFaultKinds,
  type ReportedOrder,
} from '../../domain/orders.ts';
import { dayMs, dayStartMs } from '../../domain/utc-days.ts';
import { idBound, newId, timeOfId } from '../../platform/ids.ts';
import { requireIntegration } from '../identity/integrations.ts';
import { findPartner } from '../identity/partners.ts';
import { externalIdIndexes, lookUpIndexes, type OrderEventDoc } from '../schemas/events.ts';
import type { Models } from '../schemas/index.ts';
import type { ComparisonJob, ComparisonResult, JobProgress, OrderRows } from '../schemas/jobs.ts';
import { enqueueJob, type JobOwner, newJobOf, requireNoneOpen } from './jobs.ts';
import { parseOrderFile } from './parse-order-file.ts';

const rowsOfDocument = 500;
const maxRangeDays = 366;

/** What an order file is compared with. */
export interface ComparisonScope {
  mode: Mode;
  integrationId: string;
  /**
   * UTC days, both inclusive, by the time of receipt: orders reported then and missing from the
   * file are reported as well.
   */
  range: { fromDay: string; toDay: string } | null;
  /**
   * The column names of the file, where they differ from ours; saved for the next file of the
   * integration.
   */
  columns?: OrderColumnNames;
}

/**
 * Reads an uploaded order file as it arrives, stores what is to be compared, and queues the
 * comparison. An invalid file is refused immediately, naming the row, and leaves nothing behind.
 * @throws ServiceError VALIDATION_FAILED, PAYLOAD_TOO_LARGE; CONFLICT while a comparison is open
 */
export async function compareOrderFile(
  { models, now }: { models: Models; now: () => number },
  { partnerId, requestedBy }: JobOwner,
  { mode, integrationId, range, columns = {} }: ComparisonScope,
  bytes: AsyncIterable<Uint8Array>,
): Promise<ComparisonJob> {
  await requireIntegration(models, partnerId, integrationId);
  const { currency } = await findPartner(models, partnerId);
  if (range !== null) requireRange(range);
  await requireNoneOpen(models, partnerId, 'ORDER_COMPARISON');
  const jobId = newId('job');
  const start = newJobOf({ partnerId, requestedBy }, new Date(now()));
  const file = { partnerId, jobId, expiresAt: start.expiresAt };
  try {
    const rows = await store(models, file, parseOrderFile(bytes, columns, currency));
    const job: ComparisonJob = {
      ...start,
      _id: jobId,
      kind: 'ORDER_COMPARISON',
      mode,
      input: { integrationId, rows, range },
      progress: { done: 0, total: rows, of: 'ROWS' },
    };
    await enqueueJob(models, job);
    await models.integrations.updateOne(
      { partnerId, _id: integrationId },
      { $set: { orderColumns: columns } },
    );
    return job;
  } catch (error) {
    await models.jobRows.deleteMany({ partnerId, jobId });
    throw error;
  }
}

/** @returns the number of rows */
async function store(
  models: Models,
  file: { partnerId: string; jobId: string; expiresAt: Date },
  orders: AsyncIterable<OrderRow>,
): Promise<number> {
  let stored = 0;
  let seq = 0;
  let rows: OrderRow[] = [];
  const write = async () => {
    seq += 1;
    await models.jobRows.create({ _id: newId('jobRows'), ...file, part: 'ORDERS', seq, rows });
    stored += rows.length;
    rows = [];
  };
  for await (const order of orders) {
    rows.push(order);
    if (rows.length === rowsOfDocument) await write();
  }
  if (rows.length > 0) await write();
  if (stored > 0) return stored;
  throw new ServiceError('VALIDATION_FAILED', 'Row 2: the file has a header and no orders.');
}

function requireRange({ fromDay, toDay }: { fromDay: string; toDay: string }): void {
  const days = (dayStartMs(toDay) - dayStartMs(fromDay)) / dayMs + 1;
  if (days >= 1 && days <= maxRangeDays) return;
  throw new ServiceError(
    'VALIDATION_FAILED',
    `Choose 1 to ${maxRangeDays} days, the first before the last.`,
  );
}

const faultsOfDocument = 500;
const examplesOfKind = 20;
/** Faults beyond this are counted but not stored. */
const maxKept = 200_000;

/** Stores what a comparison finds, some hundreds at a time. */
export function openFaultBook(models: Models, { partnerId, _id: jobId, expiresAt }: ComparisonJob) {
  const counts = Object.fromEntries(orderFaultKinds.map((kind) => [kind, 0])) as Record<
    OrderFaultKind,
    number
  >;
  const examples: OrderFault[] = [];
  let waiting: OrderFault[] = [];
  let kept = 0;
  let seq = 0;

  async function write(): Promise<void> {
    seq += 1;
    const book = { partnerId, jobId, part: 'FAULTS' as const, seq };
    await models.jobRows.create({ _id: newId('jobRows'), ...book, rows: waiting, expiresAt });
    waiting = [];
  }

  return {
    /** Deletes what an earlier attempt stored. */
    async clear(): Promise<void> {
      await models.jobRows.deleteMany({ partnerId, jobId, part: 'FAULTS' });
    },

    async add(faults: readonly OrderFault[]): Promise<void> {
      for (const fault of faults) {
        counts[fault.kind] += 1;
        if (counts[fault.kind] <= examplesOfKind) examples.push(fault);
        if (kept === maxKept) continue;
        kept += 1;
        waiting.push(fault);
        if (waiting.length === faultsOfDocument) await write();
      }
    },

    /** Stores the rest. */
    async close() {
      if (waiting.length > 0) await write();
      const found = Object.values(counts).reduce((sum, count) => sum + count, 0);
      return { faults: counts, examples, isCut: found > kept };
    },
  };
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
export async function compareOrders(
  models: Models,
  job: ComparisonJob,
  reportProgress: (progress: JobProgress) => Promise<void>,
): Promise<ComparisonResult> {
  const { partnerId, _id: jobId, input } = job;
  const book = openFaultBook(models, job);
  await book.clear();
  /** The first row of each order. */
  const rowOf = new Map<string, number>();
  let done = 0;
  let matched = 0;
  for (let seq = 1; done < input.rows; seq++) {
    const page = await models.jobRows
      .findOne({ partnerId, jobId, part: 'ORDERS', seq })
      .lean<OrderRows>();
    if (page === null)
      throw new ServiceError('NOT_FOUND', 'The file is no longer stored. Upload it again.');
    const { rows } = page;
    const faults = await faultsOf(models, job, rows, rowOf);
    matched += rows.length - faults.length;
    await book.add(faults);
    done += rows.length;
    await reportProgress({ done, total: input.rows, of: 'ROWS' });
  }
  if (input.range)
    await addUnlisted(models, job, input.range, rowOf, { add: book.add, reportProgress });
  return { matched, ...(await book.close()) };
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
    const heading = { externalOrderId, row: row.row, eventId: null };
    if (!firsts.has(row)) {
      const what = `is already in row ${rowOf.get(externalOrderId)}`;
      return [{ kind: 'DUPLICATE', ...heading, what }];
    }
    const order = reported.get(externalOrderId);
    if (order === undefined) {
      const what = elsewhere.get(externalOrderId) ?? 'was never reported';
      return [{ kind: 'MISSING', ...heading, what }];
    }
    const differences = differencesOf(row, order);
    if (differences.length === 0) return [];
    const what = differences.join('; ');
    return [{ kind: 'MISMATCHED', ...heading, eventId: order.eventId, what }];
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

/** Adds what was received on these days and is not in the file. */
async function addUnlisted(
  models: Models,
  { partnerId, mode, input: { integrationId } }: ComparisonJob,
  { fromDay, toDay }: { fromDay: string; toDay: string },
  rowOf: ReadonlyMap<string, number>,
  {
    add,
    reportProgress,
  }: {
    add: (faults: OrderFault[]) => Promise<void>;
    reportProgress: (progress: JobProgress) => Promise<void>;
  },
): Promise<void> {
  const [startMs, endMs] = [dayStartMs(fromDay), dayStartMs(toDay) + dayMs];
  const total = (endMs - startMs) / dayMs;
  let after = idBound('event', startMs);
  for (;;) {
    const events = await models.orderEvents.collection
      .find<Purchase>(
        { partnerId, mode, _id: { $gt: after, $lt: idBound('event', endMs) } },
        { projection: fields, sort: { _id: 1 }, limit: pageEvents, hint: ofMode },
      )
      .toArray();
    const last = events.at(-1);
    if (last === undefined) break;
    const unlisted = events.filter(
      (event) =>
        event.type === 'PURCHASE' &&
        event.integrationId === integrationId &&
        !rowOf.has(event.externalOrderId),
    );
    await add(
      unlisted.map(({ _id, externalOrderId }) => ({
        kind: 'NOT_IN_FILE',
        externalOrderId,
        row: null,
        eventId: _id,
        what: `was reported on ${new Date(timeOfId(_id)).toISOString()}`,
      })),
    );
    after = last._id;
    await reportProgress({
      done: Math.floor((timeOfId(after) - startMs) / dayMs),
      total,
      of: 'DAYS',
    });
  }
  await reportProgress({ done: total, total, of: 'DAYS' });
}
