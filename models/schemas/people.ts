import { roles } from '../../domain/operators.ts';
import { partnerRoles } from '../../domain/partners.ts';
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
  typedText,
  unchecked,
  withDefault,
} from './fields.ts';

/** A code sent to an email address to verify it. */
export interface ProofCode {
  to: string;
  /** Keyed. */
  codeHash: string;
  expiresAt: Date;
  triesLeft: number;
}

/** Wrong codes within a day of the first one. */
export interface WrongCodes {
  endsAt: Date;
  count: number;
}

/** A browser in which a user signed in. */
interface DeviceDoc {
  /** The hash of its cookie's value. */
  hash: string;
  lastUsedAt: Date;
  /** When a correct second-factor code was last entered in it; absent if never. */
  provenAt?: Date;
  /** For a proven browser: its own count. */
  wrongCodes?: WrongCodes;
}

/** A passkey: what verifies the signatures of a private key that stays with its user. */
const passkey = part({
  _id: text,
  /** As named by its user. */
  name: text,
  /** In base64url, as is the public key, which is a COSE key. */
  credentialId: text,
  publicKey: text,
  /** How often it has signed, if it counts; a passkey on several devices does not, and stays at 0. */
  counter: number,
  /** How browsers reach it. */
  transports: listOf(text),
  createdAt: date,
  /** When it was last entered as the second factor. */
  lastUsedAt: nullable(date),
});
export type PasskeyDoc = Stored<typeof passkey>;

/** The second factor of a user: an authenticator app, passkeys, or both, and codes for when they are lost. */
const secondFactor = part({
  /** The secret of the authenticator app, bound to the user's id; null without an app. */
  sealedSecret: nullable(text),
  /** When the app or, without one, the first passkey was set up. */
  enrolledAt: date,
  /** The time step of the latest code used: no code is accepted twice. */
  lastStep: number,
  /** Absent if there never was one. */
  passkeys: optional(listOf(passkey)),
  /** Keyed hashes, each removed when it is used. */
  recoveryCodeHashes: listOf(text),
});

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
  /** The second operator, if an operator invited them with an approval. */
  approvedBy: optional(nullable(text)),
  /** Wrong second-factor codes in all browsers that are not proven. */
  wrongCodes: optional(mixed<WrongCodes>()),
  /** Browsers in which they signed in, unproven ones first. */
  devices: optional(mixed<DeviceDoc[]>()),
  /** Whether they are notified of new browsers by email; absent for yes. */
  notifiesOfNewDevices: optional(flag),
  /** The IANA time zone in which they see times; absent for UTC. */
  timeZone: optional(text),
  /** When the identity provider last let them in. */
  admittedAt: optional(date),
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

/** A bearer token, stored as its hash only. */
const token = part({
  tokenId: text,
  hash: text,
  createdAt: date,
  expiresAt: date,
  /** To the minute. */
  lastUsedAt: nullable(date),
  /** The client address of the last use. */
  lastUsedFrom: nullable(text),
  revokedAt: nullable(date),
});
export type OperatorTokenDoc = Stored<typeof token>;

/** Another operator proposed or approved that this one was created, promoted or had the second factor reset. */
const introduction = part({
  by: text,
  at: date,
  /** A third operator who confirmed this one. */
  confirmedBy: nullable(text),
});
export type IntroductionDoc = Stored<typeof introduction>;

export const operatorSchema = collection('operators', {
  _id: text,
  name: text,
  role: oneOf(roles),
  tokens: listOf(token),
  /**
   * Everybody who had a hand in letting this operator in; empty if created in the database directly.
   */
  introductions: listOf(introduction),
  createdAt: date,
  revokedAt: nullable(date),
});
export type OperatorDoc = Stored<typeof operatorSchema>;
// A new operator has no token yet.
operatorSchema.index(
  { 'tokens.hash': 1 },
  { unique: true, name: 'one_token', partialFilterExpression: { 'tokens.hash': { $gt: '' } } },
);
operatorSchema.index({ role: 1, revokedAt: 1 });

/** How a user signed in. */
export type SignedInBy = 'PASSWORD' | 'LINK' | 'INVITATION' | 'SSO';

/** The message on the next page, shown once. */
const flash = part({
  tone: unchecked(typedText<'good' | 'bad'>()),
  text: unchecked(text),
});
export type Flash = Stored<typeof flash>;

/** What the next page shows once, such as the secret of a key. */
const reveal = part({
  /** Bound to the session's id; null after it was shown. */
  sealed: nullable(text),
  /** The path where another can be made, should this one be lost. */
  back: text,
  expiresAt: date,
});

/** A form that was sent, stored while its user signs in or enters the second factor that it requires. */
const keptForm = part({
  /** Names it in the address of the page that carries it out. */
  name: text,
  /** The path and the query of the page with the form. */
  path: text,
  search: text,
  /** Where it was sent; null if it cannot be carried out without more input. */
  action: nullable(text),
  /** The fields as JSON, bound to the session's id. */
  sealed: text,
  expiresAt: date,
});

/** What a passkey has to sign next in this session. */
const passkeyChallenge = part({
  value: text,
  expiresAt: date,
});

/** An operator's view of a partner's portal, with the permissions of a viewer. */
const viewing = part({
  partnerId: text,
  startedAt: date,
  endsAt: date,
});
export type ViewingDoc = Stored<typeof viewing>;

/** One browser in which a user is signed in. */
export const sessionSchema = collection('sessions', {
  _id: text,
  userId: text,
  /** The hash of the cookie's value. */
  tokenHash: text,
  signedInBy: oneOf(['PASSWORD', 'LINK', 'INVITATION', 'SSO']),
  /** The browser's user agent, and the last client address. */
  userAgent: withDefault(text, ''),
  address: text,
  createdAt: date,
  /** To the minute. */
  lastUsedAt: date,
  /** The earlier of the two limits, on idle time and on age. */
  expiresAt: date,
  /** Until then, a form that is sent from a page of the session that has ended is kept for its user. */
  deletableAt: date,
  /** When the second factor was last entered. */
  secondFactorAt: nullable(date),
  /** When access to the user's email was last proven by a code. */
  emailProvenAt: optional(nullable(date)),
  /** The code sent for that. */
  emailCode: optional(nullable(mixed<ProofCode>())),
  passkeyChallenge: optional(nullable(passkeyChallenge)),
  flash: nullable(flash),
  reveal: nullable(reveal),
  keptForm: nullable(keptForm),
  /** For an operator: the partner's portal that is shown instead of the console. */
  viewing: optional(nullable(viewing)),
});
export type SessionDoc = Stored<typeof sessionSchema>;
sessionSchema.index({ tokenHash: 1 }, { unique: true });
sessionSchema.index({ userId: 1, lastUsedAt: -1 });
sessionSchema.index({ deletableAt: 1 }, { expireAfterSeconds: 0 });

/** An emailed sign-in link, which works once within 15 minutes. */
export const signInLinkSchema = collection('sign_in_links', {
  /** The hash of the token in the email. */
  _id: text,
  userId: text,
  expiresAt: date,
});
signInLinkSchema.index({ userId: 1 });
signInLinkSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

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
  /** The second operator, if an operator invited with an approval. */
  approvedBy: optional(nullable(text)),
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
    unique: true,
    name: 'one_owner_from_outside',
    partialFilterExpression: { ownerFromOutside: { $gt: '' } },
  },
);
invitationSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/**
 * A token that a partner's user created for a program, which reads the log and moves TEST rewards
 * with the user's permissions.
 */
export const accessTokenSchema = collection('access_tokens', {
  _id: text,
  partnerId: text,
  userId: text,
  /** What it is for, as named by its user. */
  name: text,
  /** The hash of the token, which is shown once. */
  tokenHash: text,
  createdAt: date,
  expiresAt: date,
  /** To the minute. */
  lastUsedAt: nullable(date),
  /** The client address of the last use. */
  lastUsedFrom: nullable(text),
});
export type AccessTokenDoc = Stored<typeof accessTokenSchema>;
accessTokenSchema.index({ tokenHash: 1 }, { unique: true });
accessTokenSchema.index({ userId: 1, createdAt: -1 });
accessTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
