import { Schema } from 'mongoose';
import { type PartnerRole, partnerRoles } from '../../domain/partner-roles.ts';

/** The second factor of a user: an authenticator app, and codes for when it is lost. */
export interface SecondFactorDoc {
  /** Bound to the user's id. */
  sealedSecret: string;
  enrolledAt: Date;
  /** The time step of the latest code used: no code is accepted twice. */
  lastStep: number;
  /** Keyed hashes, each removed when it is used. */
  recoveryCodeHashes: string[];
}

/** Wrong codes within a day of the first one. */
export interface WrongCodes {
  endsAt: Date;
  count: number;
}

/** A browser in which a user signed in. */
export interface DeviceDoc {
  /** The hash of its cookie's value. */
  hash: string;
  lastUsedAt: Date;
  /** When a correct second-factor code was last entered in it; absent if never. */
  provenAt?: Date;
  /** For a proven browser: its own count. */
  wrongCodes?: WrongCodes;
}

/** Somebody who signs in to the portal: a partner's user, or an operator. */
export interface UserDoc {
  _id: string;
  /** Null for an operator. */
  partnerId: string | null;
  /** For partners' users; operators have theirs in their own document. */
  role: PartnerRole | null;
  /** Null for a partner's user. */
  operatorId: string | null;
  name: string;
  /** In lower case; null once the user was removed, so that they can be invited again. */
  email: string | null;
  /** As made by `hashPassword`; null for users who only sign in by email. */
  passwordHash: string | null;
  secondFactor: SecondFactorDoc | null;
  /** For partners' users: the operator or user who invited them. */
  invitedBy?: string | null;
  /** Wrong second-factor codes in all browsers that are not proven. */
  wrongCodes?: WrongCodes;
  /** Browsers in which they signed in, unproven ones first. */
  devices?: DeviceDoc[];
  /** Whether they are notified of new browsers by email; absent for yes. */
  notifiesOfNewDevices?: boolean;
  /** The IANA time zone in which they see times; absent for UTC. */
  timeZone?: string;
  /** By list, in the order in which they were saved. */
  createdAt: Date;
  disabledAt: Date | null;
}

const secondFactorSchema = new Schema<SecondFactorDoc>(
  {
    sealedSecret: { type: String, required: true },
    enrolledAt: { type: Date, required: true },
    lastStep: { type: Number, required: true },
    recoveryCodeHashes: { type: [String], required: true },
  },
  { _id: false },
);

export const userSchema = new Schema<UserDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, default: null },
    role: { type: String, enum: [...partnerRoles, null], default: null },
    operatorId: { type: String, default: null },
    name: { type: String, required: true },
    email: { type: String, default: null },
    passwordHash: { type: String, default: null },
    secondFactor: { type: secondFactorSchema, default: null },
    invitedBy: { type: String, default: null },
    wrongCodes: { type: Schema.Types.Mixed },
    devices: { type: Schema.Types.Mixed },
    notifiesOfNewDevices: { type: Boolean },
    timeZone: { type: String },
    createdAt: { type: Date, required: true },
    disabledAt: { type: Date, default: null },
  },
  { collection: 'users', versionKey: false },
);
// Unique, since users sign in by email address.
userSchema.index(
  { email: 1 },
  { unique: true, name: 'one_address', partialFilterExpression: { email: { $gt: '' } } },
);
userSchema.index({ partnerId: 1, disabledAt: 1, _id: 1 });
userSchema.index({ operatorId: 1 });
