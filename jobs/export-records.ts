import type { Readable } from 'node:stream';
import type { Models } from '../models/schemas/index.ts';
import type { ExportedRows, ExportJob, ExportResult, JobProgress } from '../models/schemas/jobs.ts';
import { type Cell, csvOf } from '../platform/csv.ts';
import { newId } from '../platform/ids.ts';
import { type Records, recordColumns, recordsOf } from '../views/exports.ts';
import { enqueueJob, openForMs } from './jobs.ts';

/** More rows than spreadsheets can handle. */
export const maxExportedRows = 100_000;
const rowsOfDocument = 500;

interface ExportDeps {
  models: Models;
  now: () => number;
}

/**
 * Queues the export of a list with its filters.
 * @throws ServiceError CONFLICT while another export of the operator is open
 */
export async function queueExport(
  { models, now }: ExportDeps,
  operatorId: string,
  { list, filter }: Records,
): Promise<ExportJob> {
  const nowMs = now();
  const job: ExportJob = {
    _id: newId('job'),
    partnerId: operatorId,
    mode: list === 'LEDGER' ? filter.mode : 'LIVE',
    kind: 'EXPORT',
    status: 'QUEUED',
    isOpen: true,
    // Removes undefined filters, which the database would store as null.
    input: { list, filter: JSON.parse(JSON.stringify(filter)) },
    progress: { done: 0, total: 1, of: 'ROWS' },
    result: null,
    problem: null,
    requestedBy: operatorId,
    createdAt: new Date(nowMs),
    heartbeatAt: new Date(nowMs),
    expiresAt: new Date(nowMs + openForMs),
  };
  await enqueueJob(models, job);
  return job;
}

/** Finds an export, whoever requested it; null if there is none. */
export async function findExport(models: Models, jobId: string): Promise<ExportJob | null> {
  return await models.jobs.findOne({ _id: jobId, kind: 'EXPORT' }).lean<ExportJob>();
}

/**
 * Stores the rows of a list, newest first, some hundreds at a time: at most `maxRows`, and a
 * transaction with all of its postings or not at all.
 */
export async function exportRecords(
  { models, now }: ExportDeps,
  { partnerId, _id: jobId, input, expiresAt }: ExportJob,
  reportProgress: (progress: JobProgress) => Promise<void>,
  maxRows = maxExportedRows,
): Promise<ExportResult> {
  await models.jobRows.deleteMany({ partnerId, jobId, part: 'EXPORT' });
  const records = await recordsOf({ models, now }, input as unknown as Records);
  const total = await records.count(maxRows);
  let [seq, rows, done, isCut] = [0, 0, 0, false];
  let waiting: Cell[][] = [];
  const write = async () => {
    seq += 1;
    const book = { partnerId, jobId, part: 'EXPORT' as const, seq };
    await models.jobRows.create({ _id: newId('jobRows'), ...book, rows: waiting, expiresAt });
    waiting = [];
    await reportProgress({ done: Math.min(done, total), total, of: 'ROWS' });
  };
  for await (const together of records.rows()) {
    isCut = rows + together.length > maxRows;
    if (isCut) break;
    waiting.push(...together);
    rows += together.length;
    done += 1;
    if (waiting.length >= rowsOfDocument) await write();
  }
  if (waiting.length > 0) await write();
  return { rows, isCut };
}

/** The exported rows as a stream of CSV. */
export function exportCsv(
  { models }: { models: Models },
  { partnerId, _id: jobId, input }: ExportJob,
): Readable {
  const columns = recordColumns[input.list].map(
    (heading, place) => [heading, (row: Cell[]) => row[place]] as const,
  );
  return csvOf(Object.fromEntries(columns), exportedRows(models, partnerId, jobId));
}

async function* exportedRows(models: Models, partnerId: string, jobId: string) {
  const documents = models.jobRows
    .find({ partnerId, jobId, part: 'EXPORT' })
    .sort({ seq: 1 })
    .lean<ExportedRows[]>()
    .cursor({ batchSize: 10 });
  for await (const { rows } of documents) yield* rows as Cell[][];
}
