/** The public interface of the audit. */
export type { LoggedCheckpoint, LoggedHead } from './audit.ts';
export { type Checkpoints, createCheckpoints, type NoteCheckpoints } from './checkpoints.ts';
export { aloneOf } from './report.ts';
export { type AuditProgress, progressOfJson, runAudit } from './run.ts';
