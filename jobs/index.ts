/**
 * The public interface of jobs: what partners and operators request that takes longer than a
 * response may.
 */

export { backTestDays, queueBackTest } from './back-test.ts';
export { exportCsv, findExport, maxExportedRows, queueExport } from './export-records.ts';
export { faultPagesOf } from './fault-book.ts';
export type { JobOwner } from './jobs.ts';
export {
  findFaultPage,
  findJob,
  findJobs,
  findOpenComparison,
  orderFaultsCsv,
  takeStalled,
} from './jobs.ts';
export {
  type ComparisonScope,
  compareOrderFile,
  type HappenedIn,
  queueComparison,
} from './orders.ts';
export { maxFileBytes, maxFileRows, parseOrderFile } from './parse-order-file.ts';
export { parseOrderLines } from './parse-order-lines.ts';
export { PartnerIsBusyError, runJob } from './run-job.ts';
export { maxPrintedMovements, queueStatementPdf } from './statement-pdf.ts';
