import { Schema } from 'mongoose';

/**
 * The newest posting that an audit saw in an account. The next audit checks that it still exists.
 */
export interface AuditCheckpointDoc {
  _id: string;
  partnerId: string;
  /** The collection that the account's chain is in. */
  collectionName: string;
  account: string;
  seq: number;
  hash: string;
  seenAt: Date;
  /** A keyed hash over all of this (models/audit/checkpoints.ts). */
  mac: string;
}

export const auditCheckpointSchema = new Schema<AuditCheckpointDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    collectionName: { type: String, required: true },
    account: { type: String, required: true },
    seq: { type: Number, required: true },
    hash: { type: String, required: true },
    seenAt: { type: Date, required: true },
    mac: { type: String, required: true },
  },
  { collection: 'audit_checkpoints', versionKey: false },
);
auditCheckpointSchema.index({ partnerId: 1, collectionName: 1, account: 1 }, { unique: true });
