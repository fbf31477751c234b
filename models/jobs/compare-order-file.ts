import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import type { OrderColumnNames, OrderRow } from '../../domain/order-file.ts';
import { dayMs, dayStartMs } from '../../domain/utc-days.ts';
import { newId } from '../../platform/ids.ts';
import { requireIntegration } from '../identity/integrations.ts';
import type { Models } from '../schemas/index.ts';
import type { ComparisonJob } from '../schemas/jobs.ts';
import { parseOrderFile } from './parse-order-file.ts';
import { enqueueJob, type JobOwner, newJobOf, requireNoneOpen } from './start-job.ts';

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
  if (range !== null) requireRange(range);
  await requireNoneOpen(models, partnerId, 'ORDER_COMPARISON');
  const jobId = newId('job');
  const start = newJobOf({ partnerId, requestedBy }, new Date(now()));
  const file = { partnerId, jobId, expiresAt: start.expiresAt };
  try {
    const rows = await store(models, file, parseOrderFile(bytes, columns));
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
