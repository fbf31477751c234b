/**
 * The public interface of jobs: what partners and operators request that takes longer than a
 * response may.
 */

export { backTestDays, startBackTest } from './back-test.ts';
export { exportCsv, findExport, maxExportedRows, startExport } from './export-records.ts';
export { findInvoicePdf, startInvoicePdf } from './invoice-pdf.ts';
export type { JobOwner } from './jobs.ts';
export { findJob, findJobs, isStalled, orderFaultsCsv } from './jobs.ts';
export { type ComparisonScope, compareOrderFile } from './orders.ts';
export { maxFileBytes, maxFileRows } from './parse-order-file.ts';
export { PartnerIsBusyError, runJob } from './run-job.ts';
export { maxPrintedMovements, startStatementPdf } from './statement-pdf.ts';
