/** The door of the audit: what the rest of the house may use of it. */
export type { LoggedCheckpoint } from './audit.ts';
export { type Checkpoints, createCheckpoints } from './checkpoints.ts';
export { aloneOf } from './report.ts';
export { runAudit } from './run.ts';
