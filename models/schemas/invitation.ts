import { Schema } from 'mongoose';
import { type PartnerRole, partnerRoles } from '../../domain/partner-roles.ts';

/** An invitation to become a user of a partner. Deleted once it is accepted, revoked or expired. */
export interface InvitationDoc {
  _id: string;
  partnerId: string;
  email: string;
  role: PartnerRole;
  /** The hash of the token in the email. */
  tokenHash: string;
  /** The operator or the user who invited. */
  invitedBy: string;
  /** The partner, if operators invited an owner; unique, so that there is one at a time. */
  ownerFromOutside?: string;
  createdAt: Date;
  expiresAt: Date;
}

export const invitationSchema = new Schema<InvitationDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    email: { type: String, required: true },
    role: { type: String, enum: partnerRoles, required: true },
    tokenHash: { type: String, required: true },
    invitedBy: { type: String, required: true },
    ownerFromOutside: { type: String },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'invitations', versionKey: false },
);
invitationSchema.index({ partnerId: 1, email: 1 }, { unique: true });
invitationSchema.index({ tokenHash: 1 });
invitationSchema.index({ invitedBy: 1 });
invitationSchema.index(
  { ownerFromOutside: 1 },
  {
    unique: true,
    name: 'one_owner_from_outside',
    partialFilterExpression: { ownerFromOutside: { $gt: '' } },
  },
);
invitationSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
