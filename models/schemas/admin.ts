import { Schema } from 'mongoose';

/** An operator; the bearer token is kept as its hash alone. */
export interface AdminDoc {
  _id: string;
  name: string;
  tokenHash: string;
  createdAt: Date;
  revokedAt: Date | null;
}

/** Who changed what through the operators' API. Insert-only. */
export interface AuditEntryDoc {
  _id: string;
  adminId: string;
  action: string;
  partnerId: string | null;
  targetId: string;
  details: Record<string, unknown>;
  requestId: string;
  at: Date;
}

export const adminSchema = new Schema<AdminDoc>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    tokenHash: { type: String, required: true },
    createdAt: { type: Date, required: true },
    revokedAt: { type: Date, default: null },
  },
  { collection: 'admins', versionKey: false },
);
adminSchema.index({ tokenHash: 1 }, { unique: true });

export const auditEntrySchema = new Schema<AuditEntryDoc>(
  {
    _id: { type: String, required: true },
    adminId: { type: String, required: true },
    action: { type: String, required: true },
    partnerId: { type: String, default: null },
    targetId: { type: String, required: true },
    details: { type: Schema.Types.Mixed, required: true },
    requestId: { type: String, required: true },
    at: { type: Date, required: true },
  },
  { collection: 'audit_entries', versionKey: false, minimize: false },
);
auditEntrySchema.index({ partnerId: 1, _id: -1 });
