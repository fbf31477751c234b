import { Schema } from 'mongoose';
import { type PartnerRole, partnerRoles } from '../../domain/partner-roles.ts';
import type { SavedList, SavedView } from '../../domain/saved-views.ts';

/** The second factor of a user: an authenticator app, and codes for when it is lost. */
export interface SecondFactorDoc {
  /** Bound to the user's id. */
  sealedSecret: string;
  enrolledAt: Date;
  /** The half minute of the newest code that was taken: none is taken twice. */
  lastStep: number;
  /** Keyed hashes; each is taken away when it is used. */
  recoveryCodeHashes: string[];
}

/** Wrong codes in a day that began with the first of them. */
export interface WrongCodes {
  endsAt: Date;
  count: number;
}

/** A browser in which a user signed in. */
export interface DeviceDoc {
  /** Of its cookie's value. */
  hash: string;
  lastUsedAt: Date;
  /** When a right code of the second factor was last given in it; absent where none was. */
  provenAt?: Date;
  /** Of one that is proven: its own, apart from those of all other browsers. */
  wrongCodes?: WrongCodes;
}

/** Somebody who signs in to the portal: a partner's user, or an operator. */
export interface UserDoc {
  _id: string;
  /** Null for an operator. */
  partnerId: string | null;
  /** Of a partner's user; an operator's role stands in its own document. */
  role: PartnerRole | null;
  /** Null for a partner's user. */
  operatorId: string | null;
  name: string;
  /** In lower case; null once the user was removed, who may then be invited anew. */
  email: string | null;
  /** In the form of `hashPassword`; null for who signs in by mail alone. */
  passwordHash: string | null;
  secondFactor: SecondFactorDoc | null;
  /** Of a partner's user: the operator or the user who invited them. */
  invitedBy?: string | null;
  /** Of the second factor, in all browsers that are not proven. */
  wrongCodes?: WrongCodes;
  /** Browsers in which they signed in, those that are not proven first. */
  devices?: DeviceDoc[];
  /** Whether a new one is told by email; absent for yes. */
  notifiesOfNewDevices?: boolean;
  /** In which they are shown times, by its IANA name; absent for UTC. */
  timeZone?: string;
  /** By list, in the order in which they were saved. */
  savedViews?: Partial<Record<SavedList, SavedView[]>>;
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
    savedViews: { type: Schema.Types.Mixed },
    createdAt: { type: Date, required: true },
    disabledAt: { type: Date, default: null },
  },
  { collection: 'users', versionKey: false },
);
// Whoever signs in is known by nothing but the address.
userSchema.index(
  { email: 1 },
  { unique: true, name: 'one_address', partialFilterExpression: { email: { $gt: '' } } },
);
userSchema.index({ partnerId: 1, disabledAt: 1, _id: 1 });
userSchema.index({ operatorId: 1 });
