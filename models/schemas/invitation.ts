import { partnerRoles } from '../../domain/partner-roles.ts';
import { collection, date, oneOf, optional, type Stored, text } from './fields.ts';

/** An invitation to become a user of a partner. Deleted once it is accepted, revoked or expired. */
export const invitationSchema = collection('invitations', {
  _id: text,
  partnerId: text,
  email: text,
  role: oneOf(partnerRoles),
  /** The hash of the token in the email. */
  tokenHash: text,
  /** The operator or the user who invited. */
  invitedBy: text,
  /** The partner, if operators invited an owner; unique, so that there is one at a time. */
  ownerFromOutside: optional(text),
  createdAt: date,
  expiresAt: date,
});
export type InvitationDoc = Stored<typeof invitationSchema>;
invitationSchema.index({ partnerId: 1, email: 1 }, { unique: true });
invitationSchema.index({ tokenHash: 1 });
invitationSchema.index({ invitedBy: 1 });
invitationSchema.index(
  { ownerFromOutside: 1 },
  {
    ...{ unique: true, name: 'one_owner_from_outside' },
    partialFilterExpression: { ownerFromOutside: { $gt: '' } },
  },
);
invitationSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
