import {
  collection,
  date,
  mixed,
  nullable,
  oneOf,
  optional,
  part,
  type Stored,
  text,
  textOf,
  unchecked,
  withDefault,
} from './fields.ts';
import type { ProofCode } from './proof-code.ts';

/** How a user signed in. */
export type SignedInBy = 'PASSWORD' | 'LINK' | 'INVITATION';

/** The message on the next page, shown once. */
const flash = part({
  tone: unchecked(textOf<'good' | 'bad'>()),
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
export type RevealDoc = Stored<typeof reveal>;

/** The input of a form, stored while the user enters the second factor that it requires. */
const keptForm = part({
  /** The path of the page with the form. */
  path: text,
  /** The fields as JSON, bound to the session's id. */
  sealed: text,
  expiresAt: date,
});
export type KeptFormDoc = Stored<typeof keptForm>;

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
  signedInBy: oneOf(['PASSWORD', 'LINK', 'INVITATION']),
  /** The browser's user agent, and the last client address. */
  userAgent: withDefault(text, ''),
  address: text,
  createdAt: date,
  /** To the minute. */
  lastUsedAt: date,
  /** The earlier of the two limits, on idle time and on age. */
  expiresAt: date,
  /** When the second factor was last entered. */
  secondFactorAt: nullable(date),
  /** When access to the user's email was last proven by a code. */
  emailProvenAt: optional(nullable(date)),
  /** The code sent for that. */
  emailCode: optional(nullable(mixed<ProofCode>())),
  flash: nullable(flash),
  reveal: nullable(reveal),
  keptForm: nullable(keptForm),
  /** For an operator: the partner's portal that is shown instead of the console. */
  viewing: optional(nullable(viewing)),
});
export type SessionDoc = Stored<typeof sessionSchema>;
sessionSchema.index({ tokenHash: 1 }, { unique: true });
sessionSchema.index({ userId: 1, lastUsedAt: -1 });
sessionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
