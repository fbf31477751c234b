/** The door of the audit: what the rest of the house may use of it. */
export { runAudit } from './run.ts';
