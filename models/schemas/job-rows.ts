import type { OrderFault } from '../../domain/order-comparison.ts';
import type { OrderRow } from '../../domain/order-file.ts';
import { collection, date, listOf, mixed, number, oneOf, type Stored, text } from './fields.ts';

/** A cell of a table. */
export type Cell = string | number | null;

/** Input or result rows of a job, some hundreds per document. Insert-only. */
export const jobRowsSchema = collection('job_rows', {
  _id: text,
  partnerId: text,
  jobId: text,
  part: oneOf(['ORDERS', 'FAULTS', 'EXPORT']),
  /** From 1. */
  seq: number,
  rows: listOf(mixed<unknown>()),
  /** When the database deletes it. */
  expiresAt: date,
});
interface JobRowsOf<Part extends 'ORDERS' | 'FAULTS' | 'EXPORT', Row>
  extends Stored<typeof jobRowsSchema> {
  part: Part;
  rows: Row[];
}
export type OrderRows = JobRowsOf<'ORDERS', OrderRow>;
export type FaultRows = JobRowsOf<'FAULTS', OrderFault>;
export type ExportedRows = JobRowsOf<'EXPORT', Cell[]>;
export type JobRowsDoc = OrderRows | FaultRows | ExportedRows;
jobRowsSchema.index({ partnerId: 1, jobId: 1, part: 1, seq: 1 }, { unique: true });
jobRowsSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
