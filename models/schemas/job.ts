import { type mongo, Schema } from 'mongoose';
import type { BackTest } from '../../domain/back-test.ts';
import type { EarningRule } from '../../domain/earning-rules.ts';
import { type Mode, modes } from '../../domain/mode.ts';
import type { OrderFault, OrderFaultKind } from '../../domain/order-comparison.ts';
import type { RecordList } from '../../domain/records.ts';

/** Work that partners and operators request and that takes longer than a response may. */
const jobKinds = ['ORDER_COMPARISON', 'BACK_TEST', 'INVOICE_PDF', 'EXPORT'] as const;
export type JobKind = (typeof jobKinds)[number];

export type JobStatus = 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED';

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
export interface ComparisonInput {
  integrationId: string;
  rows: number;
  /** UTC days whose purchases are looked for in the file; null for none. */
  range: { fromDay: string; toDay: string } | null;
}

export interface ComparisonResult {
  /** Orders of the file that match what was reported. */
  matched: number;
  faults: Record<OrderFaultKind, number>;
  /** The first of each kind; all are in `job_rows`. */
  examples: OrderFault[];
  /** Whether there were more than are kept. */
  isCut: boolean;
}

/** A draft of a rule to replay the purchases of a period under. */
export interface BackTestInput {
  rule: EarningRule;
  from: Date;
  to: Date;
}

export interface InvoicePdf {
  pdf: mongo.Binary | Uint8Array;
}

/** A list of the operators' records, with its filters. */
export interface ExportInput {
  list: RecordList;
  filter: Record<string, unknown>;
}

/** The rows are in `job_rows`. */
export interface ExportResult {
  rows: number;
  /** Whether there were more than are kept. */
  isCut: boolean;
}

interface JobOf<Kind extends JobKind, Input, Result> {
  _id: string;
  /** The partner it belongs to, or the operator for an export, who also has only one at a time. */
  partnerId: string;
  mode: Mode;
  kind: Kind;
  status: JobStatus;
  /**
   * Set until it is finished, for a day at most. Unique, so that a partner has one of a kind at a
   * time.
   */
  isOpen?: true;
  input: Input;
  progress: JobProgress;
  /** Once it is done. */
  result: Result | null;
  /** Why it failed. */
  problem: string | null;
  /** The partner's user or operator who requested it. */
  requestedBy: string;
  createdAt: Date;
  /** When its progress was last stored. */
  heartbeatAt: Date;
  /** When the database drops it. */
  expiresAt: Date;
}

export type ComparisonJob = JobOf<'ORDER_COMPARISON', ComparisonInput, ComparisonResult>;
export type BackTestJob = JobOf<'BACK_TEST', BackTestInput, BackTest>;
export type InvoicePdfJob = JobOf<'INVOICE_PDF', { invoiceId: string }, InvoicePdf>;
export type ExportJob = JobOf<'EXPORT', ExportInput, ExportResult>;
/** Once it is stored, only its activity changes it. */
export type JobDoc = ComparisonJob | BackTestJob | InvoicePdfJob | ExportJob;

const anything = { type: Schema.Types.Mixed, default: null };
const text = { type: String, required: true };
const date = { type: Date, required: true };

export const jobSchema = new Schema<JobDoc>(
  {
    _id: text,
    partnerId: text,
    mode: { type: String, enum: modes, required: true },
    kind: { type: String, enum: jobKinds, required: true },
    status: { type: String, enum: ['QUEUED', 'RUNNING', 'DONE', 'FAILED'], required: true },
    isOpen: { type: Boolean },
    input: anything,
    progress: anything,
    result: anything,
    problem: { type: String, default: null },
    requestedBy: text,
    createdAt: date,
    heartbeatAt: date,
    expiresAt: date,
  },
  { collection: 'jobs', versionKey: false, minimize: false },
);
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
jobSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
