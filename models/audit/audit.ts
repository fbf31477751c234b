import type { Usage } from '../billing/index.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Models } from '../schemas/index.ts';
import type { AuditedChain } from './audited-chains.ts';
import type { Checkpoint, Checkpoints } from './checkpoints.ts';
import type { Report } from './report.ts';

export interface AuditDeps {
  models: Models;
  ledger: Ledger;
  usage: Usage;
  checkpoints: Checkpoints;
  chains: readonly AuditedChain[];
  /** The partner to look at; without one, all. */
  partnerId: string | undefined;
  /** The partners to look at, in the order of their ids: the same for every check. */
  partners(): AsyncIterable<string>;
  /** Asked after each page: lets the service go first while it is behind. */
  pace(): Promise<void>;
}

/** One row, or a few, of the audit's table. */
export interface Check {
  name: string;
  run(deps: AuditDeps, report: Report): Promise<void>;
}

/** A checkpoint as a log holds it, and in which line. */
export interface LoggedCheckpoint {
  line: number;
  checkpoint: Checkpoint;
}
