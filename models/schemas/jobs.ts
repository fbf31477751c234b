import { type mongo, Schema } from 'mongoose';
import type { BackTest } from '../../domain/back-test.ts';
import type { EarningRule } from '../../domain/earning-rules.ts';
import { modes } from '../../domain/mode.ts';
import type { FileRow, OrderFault, OrderFaultKind } from '../../domain/orders.ts';
import type { RecordList } from '../../domain/records.ts';
import type { Cell } from '../../platform/csv.ts';
import {
  collection,
  date,
  listOf,
  mark,
  mixed,
  nullable,
  number,
  oneOf,
  optional,
  type Stored,
  schemaField,
  text,
  withDefault,
} from './fields.ts';

/** Work that partners and operators request and that takes longer than a response may. */
const jobKinds = ['ORDER_COMPARISON', 'BACK_TEST', 'STATEMENT_PDF', 'EXPORT'] as const;
export type JobKind = (typeof jobKinds)[number];

/** The progress of a job. */
export interface JobProgress {
  done: number;
  total: number;
  /** What is counted. */
  of: 'ROWS' | 'DAYS' | 'DOCUMENTS';
}

/**
 * The comparison of an order file with what one integration reported. The rows of the file are in
 * `job_rows`.
 */
interface ComparisonInput {
  integrationId: string;
  rows: number;
  /** UTC days whose purchases are looked for in the file; null for none. */
  range: { fromDay: string; toDay: string } | null;
  /** From its first to its last row: what happened then is looked for in the file; null for nothing. */
  between: { fromMs: number; toMs: number } | null;
  hasRefunds: boolean;
  /** The statuses that say nothing about refunds, some of them by name, and their rows. */
  unknownStatuses: { status: string; rows: number }[];
  unknownRows: number;
  /** The SHA-256 of a file that a program sent; null for an upload. */
  fileHash: string | null;
}

export interface ComparisonResult {
  /** Orders and refunds of the file that match what was reported. */
  matched: number;
  faults: Record<OrderFaultKind, number>;
  /** The first of each kind; all are in `job_rows`. */
  examples: OrderFault[];
  /** Whether there were more than are kept. */
  isCut: boolean;
}

/** A draft of a rule to replay the purchases of a period under. */
interface BackTestInput {
  rule: EarningRule;
  from: Date;
  to: Date;
}

export interface Pdf {
  pdf: mongo.Binary | Uint8Array;
}

/** What can be printed of an invoice. */
export type InvoiceDocument = 'INVOICE' | 'CREDIT_NOTE';

/** A list of the operators' records, with its filters. */
interface ExportInput {
  list: RecordList;
  filter: Record<string, unknown>;
}

/** The rows are in `job_rows`. */
export interface ExportResult {
  rows: number;
  /** Whether there were more than are kept. */
  isCut: boolean;
}

/** Once it is stored, only its activity changes it. */
export const jobSchema = collection(
  'jobs',
  {
    _id: text,
    /** The partner it belongs to, or the operator for an export, who also has only one at a time. */
    partnerId: text,
    mode: oneOf(modes),
    kind: oneOf(jobKinds),
    status: oneOf(['QUEUED', 'RUNNING', 'DONE', 'FAILED']),
    /**
     * Set until it is finished, for a day at most. Unique, so that a partner has one of a kind at a
     * time.
     */
    isOpen: mark,
    input: withDefault(mixed<unknown>(), null),
    progress: schemaField<JobProgress>({ type: Schema.Types.Mixed, default: null }),
    /** Once it is done. */
    result: withDefault(mixed<unknown>(), null),
    /** Why it failed. */
    problem: nullable(text),
    /** The partner's user or operator who requested it. */
    requestedBy: text,
    createdAt: date,
    /** When its progress was last stored. */
    heartbeatAt: date,
    /** When somebody who looked at it last started it again, because it had stalled. */
    startedAgainAt: optional(date),
    /** Absent while it is open. */
    finishedAt: optional(date),
    /** When the database drops it. */
    expiresAt: date,
  },
  { minimize: false },
);
interface JobOf<Kind extends JobKind, Input, Result> extends Stored<typeof jobSchema> {
  kind: Kind;
  input: Input;
  result: Result | null;
}
export type ComparisonJob = JobOf<'ORDER_COMPARISON', ComparisonInput, ComparisonResult>;
export type BackTestJob = JobOf<'BACK_TEST', BackTestInput, BackTest>;
export type StatementPdfJob = JobOf<'STATEMENT_PDF', { fromDay: string; toDay: string }, Pdf>;
export type ExportJob = JobOf<'EXPORT', ExportInput, ExportResult>;
export type JobDoc = ComparisonJob | BackTestJob | StatementPdfJob | ExportJob;
jobSchema.index(
  { partnerId: 1, kind: 1 },
  { unique: true, name: 'one_open', partialFilterExpression: { isOpen: true } },
);
jobSchema.index(
  { partnerId: 1 },
  {
    unique: true,
    name: 'one_running',
    partialFilterExpression: { isOpen: true, status: 'RUNNING' },
  },
);
jobSchema.index({ partnerId: 1, _id: -1 }, { unique: true });
// For the webhooks of finished ones.
jobSchema.index({ partnerId: 1, finishedAt: 1 });
jobSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

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
export type OrderRows = JobRowsOf<'ORDERS', FileRow>;
export type FaultRows = JobRowsOf<'FAULTS', OrderFault>;
export type ExportedRows = JobRowsOf<'EXPORT', Cell[]>;
export type JobRowsDoc = OrderRows | FaultRows | ExportedRows;
jobRowsSchema.index({ partnerId: 1, jobId: 1, part: 1, seq: 1 }, { unique: true });
jobRowsSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
