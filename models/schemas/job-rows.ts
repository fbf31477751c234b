import { Schema } from 'mongoose';
import type { OrderFault } from '../../domain/order-comparison.ts';
import type { OrderRow } from '../../domain/order-file.ts';

/** Input or result rows of a job, some hundreds per document. Insert-only. */
interface JobRowsOf<Part extends string, Row> {
  _id: string;
  partnerId: string;
  jobId: string;
  part: Part;
  /** From 1. */
  seq: number;
  rows: Row[];
  /** When the database deletes it. */
  expiresAt: Date;
}

export type OrderRows = JobRowsOf<'ORDERS', OrderRow>;
export type FaultRows = JobRowsOf<'FAULTS', OrderFault>;

/** A cell of a table. */
export type Cell = string | number | null;
export type ExportedRows = JobRowsOf<'EXPORT', Cell[]>;
export type JobRowsDoc = OrderRows | FaultRows | ExportedRows;

const text = { type: String, required: true };

export const jobRowsSchema = new Schema<JobRowsDoc>(
  {
    _id: text,
    partnerId: text,
    jobId: text,
    part: { type: String, enum: ['ORDERS', 'FAULTS', 'EXPORT'], required: true },
    seq: { type: Number, required: true },
    rows: { type: [Schema.Types.Mixed], required: true } as never,
    expiresAt: { type: Date, required: true },
  },
  { collection: 'job_rows', versionKey: false },
);
jobRowsSchema.index({ partnerId: 1, jobId: 1, part: 1, seq: 1 }, { unique: true });
jobRowsSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
