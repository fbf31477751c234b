import { Schema } from 'mongoose';
import type { ProofCode } from './proof-code.ts';

/** How a user signed in. */
export type SignedInBy = 'PASSWORD' | 'LINK' | 'INVITATION';

/** The message on the next page, shown once. */
export interface Flash {
  tone: 'good' | 'bad';
  text: string;
}

/** What the next page shows once, such as the secret of a key. */
export interface RevealDoc {
  /** Bound to the session's id; null after it was shown. */
  sealed: string | null;
  /** The path where another can be made, should this one be lost. */
  back: string;
  expiresAt: Date;
}

/** The input of a form, stored while the user enters the second factor that it requires. */
export interface KeptFormDoc {
  /** The path of the page with the form. */
  path: string;
  /** The fields as JSON, bound to the session's id. */
  sealed: string;
  expiresAt: Date;
}

/** An operator's view of a partner's portal, with the permissions of a viewer. */
export interface ViewingDoc {
  partnerId: string;
  startedAt: Date;
  endsAt: Date;
}

/** One browser in which a user is signed in. */
export interface SessionDoc {
  _id: string;
  userId: string;
  /** The hash of the cookie's value. */
  tokenHash: string;
  signedInBy: SignedInBy;
  /** The browser's user agent, and the last client address. */
  userAgent: string;
  address: string;
  createdAt: Date;
  /** To the minute. */
  lastUsedAt: Date;
  /** The earlier of the two limits, on idle time and on age. */
  expiresAt: Date;
  /** When the second factor was last entered. */
  secondFactorAt: Date | null;
  /** When access to the user's email was last proven by a code. */
  emailProvenAt?: Date | null;
  /** The code sent for that. */
  emailCode?: ProofCode | null;
  flash: Flash | null;
  reveal: RevealDoc | null;
  keptForm: KeptFormDoc | null;
  /** For an operator: the partner's portal that is shown instead of the console. */
  viewing?: ViewingDoc | null;
}

export const sessionSchema = new Schema<SessionDoc>(
  {
    _id: { type: String, required: true },
    userId: { type: String, required: true },
    tokenHash: { type: String, required: true },
    signedInBy: { type: String, enum: ['PASSWORD', 'LINK', 'INVITATION'], required: true },
    userAgent: { type: String, default: '' },
    address: { type: String, required: true },
    createdAt: { type: Date, required: true },
    lastUsedAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    secondFactorAt: { type: Date, default: null },
    emailProvenAt: { type: Date, default: null },
    emailCode: { type: Schema.Types.Mixed, default: null },
    flash: {
      type: new Schema<Flash>({ tone: String, text: String }, { _id: false }),
      default: null,
    },
    reveal: {
      type: new Schema<RevealDoc>(
        {
          sealed: { type: String, default: null },
          back: { type: String, required: true },
          expiresAt: { type: Date, required: true },
        },
        { _id: false },
      ),
      default: null,
    },
    keptForm: {
      type: new Schema<KeptFormDoc>(
        {
          path: { type: String, required: true },
          sealed: { type: String, required: true },
          expiresAt: { type: Date, required: true },
        },
        { _id: false },
      ),
      default: null,
    },
    viewing: {
      type: new Schema<ViewingDoc>(
        {
          partnerId: { type: String, required: true },
          startedAt: { type: Date, required: true },
          endsAt: { type: Date, required: true },
        },
        { _id: false },
      ),
      default: null,
    },
  },
  { collection: 'sessions', versionKey: false },
);
sessionSchema.index({ tokenHash: 1 }, { unique: true });
sessionSchema.index({ userId: 1, lastUsedAt: -1 });
sessionSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
