/** The door of the audit: what the rest of the house may use of it. */
export { type RunOptions, runAudit } from './run.ts';
