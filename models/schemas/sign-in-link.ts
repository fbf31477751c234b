import { Schema } from 'mongoose';

/** An emailed sign-in link, which works once within 15 minutes. */
export interface SignInLinkDoc {
  /** The hash of the token in the email. */
  _id: string;
  userId: string;
  expiresAt: Date;
}

export const signInLinkSchema = new Schema<SignInLinkDoc>(
  {
    _id: { type: String, required: true },
    userId: { type: String, required: true },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'sign_in_links', versionKey: false },
);
signInLinkSchema.index({ userId: 1 });
signInLinkSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
