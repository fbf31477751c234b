/**
 * The public interface of jobs: what partners and operators request that takes longer than a
 * response may.
 */
export { type ComparisonScope, compareOrderFile } from './compare-order-file.ts';
export { exportCsv, findExport, maxExportedRows, startExport } from './export-records.ts';
export { findInvoicePdf, startInvoicePdf } from './invoice-pdf.ts';
export { maxFileBytes, maxFileRows } from './parse-order-file.ts';
export { findJob, findJobs, isStalled, orderFaultsCsv } from './read-jobs.ts';
export { PartnerIsBusyError, runJob } from './run-job.ts';
export { backTestDays, startBackTest } from './start-back-test.ts';
export type { JobOwner } from './start-job.ts';
