import { partnerRoles } from '../../domain/partner-roles.ts';
import type { SavedList, SavedView } from '../../domain/saved-views.ts';
import {
  collection,
  date,
  flag,
  listOf,
  mixed,
  nullable,
  number,
  oneOf,
  optional,
  part,
  type Stored,
  text,
} from './fields.ts';

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

/** The second factor of a user: an authenticator app, and codes for when it is lost. */
const secondFactor = part({
  /** Bound to the user's id. */
  sealedSecret: text,
  enrolledAt: date,
  /** The time step of the latest code used: no code is accepted twice. */
  lastStep: number,
  /** Keyed hashes, each removed when it is used. */
  recoveryCodeHashes: listOf(text),
});
export type SecondFactorDoc = Stored<typeof secondFactor>;

/** Somebody who signs in to the portal: a partner's user, or an operator. */
export const userSchema = collection('users', {
  _id: text,
  /** Null for an operator. */
  partnerId: nullable(text),
  /** For partners' users; operators have theirs in their own document. */
  role: nullable(oneOf(partnerRoles)),
  /** Null for a partner's user. */
  operatorId: nullable(text),
  name: text,
  /** In lower case; null once the user was removed, so that they can be invited again. */
  email: nullable(text),
  /** As made by `hashPassword`; null for users who only sign in by email. */
  passwordHash: nullable(text),
  secondFactor: nullable(secondFactor),
  /** For partners' users: the operator or user who invited them. */
  invitedBy: optional(nullable(text)),
  /** Wrong second-factor codes in all browsers that are not proven. */
  wrongCodes: optional(mixed<WrongCodes>()),
  /** Browsers in which they signed in, unproven ones first. */
  devices: optional(mixed<DeviceDoc[]>()),
  /** Whether they are notified of new browsers by email; absent for yes. */
  notifiesOfNewDevices: optional(flag),
  /** The IANA time zone in which they see times; absent for UTC. */
  timeZone: optional(text),
  /** By list, in the order in which they were saved. */
  savedViews: optional(mixed<Partial<Record<SavedList, SavedView[]>>>()),
  createdAt: date,
  disabledAt: nullable(date),
});
export type UserDoc = Stored<typeof userSchema>;
// Unique, since users sign in by email address.
userSchema.index(
  { email: 1 },
  { unique: true, name: 'one_address', partialFilterExpression: { email: { $gt: '' } } },
);
userSchema.index({ partnerId: 1, disabledAt: 1, _id: 1 });
userSchema.index({ operatorId: 1 });
