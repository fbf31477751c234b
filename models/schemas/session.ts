import { Schema } from 'mongoose';
import type { ProofCode } from './proof-code.ts';

/** How somebody proved who they are. */
export type SignedInBy = 'PASSWORD' | 'LINK' | 'INVITATION';

/** What the next page says, once. */
export interface Flash {
  tone: 'good' | 'bad';
  text: string;
}

/** What the next page shows once, such as a key's secret. */
export interface RevealDoc {
  /** Bound to the session's id; null once it was shown. */
  sealed: string | null;
  /** Where another is made, should this one be lost. */
  back: string;
  expiresAt: Date;
}

/** What was typed into a form, until the second factor is given that it asks for. */
export interface KeptFormDoc {
  /** Of the page that shows the form. */
  path: string;
  /** The fields as JSON, bound to the session's id. */
  sealed: string;
  expiresAt: Date;
}

/** An operator's look at a partner's portal, as its viewer. */
export interface ViewingDoc {
  partnerId: string;
  startedAt: Date;
  endsAt: Date;
}

/** One browser in which a user is signed in. */
export interface SessionDoc {
  _id: string;
  userId: string;
  /** Of the cookie's value. */
  tokenHash: string;
  signedInBy: SignedInBy;
  /** The browser, as it names itself, and the address it asked from last. */
  userAgent: string;
  address: string;
  createdAt: Date;
  /** To the minute. */
  lastUsedAt: Date;
  /** Of both limits, that of idleness and that of age, the earlier one. */
  expiresAt: Date;
  /** When the second factor was given last. */
  secondFactorAt: Date | null;
  /** When it was proven last that whoever sits here reads the user's mail, by a code. */
  emailProvenAt?: Date | null;
  /** The code that this is being proven by. */
  emailCode?: ProofCode | null;
  flash: Flash | null;
  reveal: RevealDoc | null;
  keptForm: KeptFormDoc | null;
  /** Of an operator: what is shown instead of the operators' console. */
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
