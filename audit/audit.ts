import type { KeyObject } from 'node:crypto';
import type { Models } from '../models/schemas/index.ts';
import type { Checkpoint, Checkpoints } from './checkpoints.ts';
import type { AuditReport } from './report.ts';

export interface AuditDeps {
  models: Models;
  checkpoints: Checkpoints;
  /** Keys the hashes of entries. */
  hashKey: KeyObject;
  /** What one operator may decide about in a day, in cents; undefined if that is not compared. */
  reviewCents: number | undefined;
  /** The partner to audit; all if absent. */
  partnerId: string | undefined;
  /** The partners that a check looks at: one at a time. */
  partners(): AsyncIterable<string>;
  /** Called after each page: pauses the audit while the service is behind. */
  pace(): Promise<void>;
}

/** One or several rows of the audit's result. */
export interface Check {
  name: string;
  run(deps: AuditDeps, report: AuditReport): Promise<void>;
}

/** A checkpoint in a log, and its line. */
export interface LoggedCheckpoint {
  line: number;
  checkpoint: Checkpoint;
}

/** A signed tree head in a log, and its line. */
export interface LoggedHead {
  line: number;
  signed: string;
}
