import { collection, date, number, type Stored, text } from './fields.ts';

/**
 * The newest posting that an audit saw in an account. The next audit checks that it still exists.
 */
export const auditCheckpointSchema = collection('audit_checkpoints', {
  _id: text,
  partnerId: text,
  /** The collection that the account's chain is in. */
  collectionName: text,
  account: text,
  seq: number,
  hash: text,
  seenAt: date,
  /** A keyed hash over all of this (models/audit/checkpoints.ts). */
  mac: text,
});
export type AuditCheckpointDoc = Stored<typeof auditCheckpointSchema>;
auditCheckpointSchema.index({ partnerId: 1, collectionName: 1, account: 1 }, { unique: true });
