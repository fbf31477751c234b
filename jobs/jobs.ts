import type { Readable } from 'node:stream';
import { ServiceError } from '../domain/errors.ts';
import type { Mode } from '../domain/mode.ts';
import type { OrderFault } from '../domain/orders.ts';
import type { Models } from '../models/schemas/index.ts';
import type { ComparisonJob, FaultRows, JobDoc, JobKind } from '../models/schemas/jobs.ts';
import { insertOnce } from '../models/store/insert-once.ts';
import { type CsvColumns, csvOf } from '../platform/csv.ts';

/** A partner's job; null if there is none, or it belongs to another partner. */
export async function findJob(
  models: Models,
  partnerId: string,
  jobId: string,
): Promise<JobDoc | null> {
  return await models.jobs.findOne({ partnerId, _id: jobId });
}

/** The latest jobs of a partner, newest first. @param mode absent for both */
export async function findJobs<Kind extends JobKind>(
  models: Models,
  partnerId: string,
  kind: Kind,
  limit: number,
  mode?: Mode,
): Promise<Extract<JobDoc, { kind: Kind }>[]> {
  return await models.jobs
    .find({ partnerId, kind, ...(mode && { mode }) })
    .sort({ _id: -1 })
    .limit(limit)
    .lean<Extract<JobDoc, { kind: Kind }>[]>();
}

/** A running job writes a heartbeat more often than this. */
const silentMs = 30_000;

/**
 * Takes the start of a job that seems to have stalled: its start was lost, or its workflow was terminated. Whoever
 * displays it starts it again, once in a while, however often it is displayed.
 * @returns whether the caller is to start it
 */
export async function takeStalled(
  models: Models,
  { partnerId, _id, isOpen, heartbeatAt }: JobDoc,
  nowMs: number,
): Promise<boolean> {
  const before = new Date(nowMs - silentMs);
  if (isOpen !== true || heartbeatAt >= before) return false;
  const { modifiedCount } = await models.jobs.collection.updateOne(
    { partnerId, _id, isOpen: true, $nor: [{ startedAgainAt: { $gte: before } }] },
    { $set: { startedAgainAt: new Date(nowMs) } },
  );
  return modifiedCount === 1;
}

const columns: CsvColumns<OrderFault> = {
  fault: ({ kind }) => kind,
  externalOrderId: ({ externalOrderId }) => externalOrderId,
  row: ({ row }) => row,
  eventId: ({ eventId }) => eventId,
  what: ({ what }) => what,
  externalRefundId: ({ externalRefundId }) => externalRefundId,
  report: ({ repair }) => repair?.report ?? null,
  body: ({ repair }) => repair && JSON.stringify(repair.body),
  add: ({ repair }) => repair?.add.join(' ') ?? null,
};

/** The faults of a comparison as a stream of CSV. */
export function orderFaultsCsv(
  { models }: { models: Models },
  partnerId: string,
  jobId: string,
): Readable {
  return csvOf(columns, faultsOf(models, partnerId, jobId));
}

async function* faultsOf(models: Models, partnerId: string, jobId: string) {
  const documents = models.jobRows
    .find({ partnerId, jobId, part: 'FAULTS' })
    .sort({ seq: 1 })
    .lean<FaultRows[]>()
    .cursor({ batchSize: 10 });
  for await (const { rows } of documents) yield* rows as OrderFault[];
}

/** A page of the faults of a comparison, from 1; null beyond the last. */
export async function findFaultPage(
  models: Models,
  { partnerId, jobId, page: seq }: { partnerId: string; jobId: string; page: number },
): Promise<OrderFault[] | null> {
  const document = await models.jobRows
    .findOne({ partnerId, jobId, part: 'FAULTS', seq })
    .lean<FaultRows>();
  return document?.rows ?? null;
}

/** A job that is not finished by then is dropped, along with its input. */
export const openForMs = 24 * 3_600_000;

/** Who requests a job, and for which partner. */
export interface JobOwner {
  partnerId: string;
  /** The partner's user, or an operator. */
  requestedBy: string;
}

/** The fields of every new job. */
export const newJobOf = ({ partnerId, requestedBy }: JobOwner, createdAt: Date) => ({
  partnerId,
  requestedBy,
  createdAt,
  heartbeatAt: createdAt,
  ...({ status: 'QUEUED', isOpen: true, result: null, problem: null } as const),
  expiresAt: new Date(createdAt.getTime() + openForMs),
});

/**
 * Stores a job; the caller then starts its workflow.
 * @throws ServiceError CONFLICT while one of its kind is open
 */
export async function enqueueJob(models: Models, job: JobDoc): Promise<void> {
  if (await insertOnce(() => models.jobs.create(job))) return;
  throw anotherIsOpen(job.kind);
}

/** @throws ServiceError CONFLICT while a job of this kind is open */
export async function requireNoneOpen(
  models: Models,
  partnerId: string,
  kind: JobKind,
): Promise<void> {
  if (await models.jobs.exists({ partnerId, kind, isOpen: true })) throw anotherIsOpen(kind);
}

const openWords: Record<JobKind, string> = {
  BACK_TEST: 'A back-test is already running',
  ORDER_COMPARISON: 'A comparison of orders is already running',
  STATEMENT_PDF: 'Another statement is being created',
  EXPORT: 'Another export of yours is being created',
};

export const anotherIsOpen = (kind: JobKind): ServiceError =>
  new ServiceError('CONFLICT', `${openWords[kind]}. Wait until it is done.`);

/** The partner's comparison that is not finished; null without one. */
export async function findOpenComparison(
  models: Models,
  partnerId: string,
): Promise<ComparisonJob | null> {
  const open = await models.jobs.findOne({ partnerId, kind: 'ORDER_COMPARISON', isOpen: true });
  return open as ComparisonJob | null;
}
