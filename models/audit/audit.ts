import type { Books } from '../ledger/books.ts';
import type { Models } from '../schemas/index.ts';
import type { AuditedChain } from './audited-chains.ts';
import type { Report } from './report.ts';

export interface AuditDeps {
  models: Models;
  books: Books;
  chains: readonly AuditedChain[];
  /** The partner to look at; without one, all. */
  partnerId: string | undefined;
}

/** One row, or a few, of the audit's table. */
export interface Check {
  name: string;
  run(deps: AuditDeps, report: Report): Promise<void>;
}
