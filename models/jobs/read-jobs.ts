import type { Readable } from 'node:stream';
import type { Mode } from '../../domain/mode.ts';
import type { OrderFault } from '../../domain/order-comparison.ts';
import { type CsvColumn, csvOf } from '../../platform/csv.ts';
import type { Models } from '../schemas/index.ts';
import type { FaultRows, JobDoc, JobKind } from '../schemas/jobs.ts';

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
 * Whether a job seems to have stalled: its start was lost, or its workflow was terminated. Whoever
 * displays it starts it again.
 */
export function isStalled({ isOpen, heartbeatAt }: JobDoc, nowMs: number): boolean {
  return isOpen === true && nowMs - heartbeatAt.getTime() > silentMs;
}

const columns: CsvColumn<OrderFault>[] = [
  { header: 'fault', of: ({ kind }) => kind },
  { header: 'externalOrderId', of: ({ externalOrderId }) => externalOrderId },
  { header: 'row', of: ({ row }) => row },
  { header: 'eventId', of: ({ eventId }) => eventId },
  { header: 'what', of: ({ what }) => what },
];

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
