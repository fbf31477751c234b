import { collection, date, type Stored, text } from './fields.ts';

/** An emailed sign-in link, which works once within 15 minutes. */
export const signInLinkSchema = collection('sign_in_links', {
  /** The hash of the token in the email. */
  _id: text,
  userId: text,
  expiresAt: date,
});
export type SignInLinkDoc = Stored<typeof signInLinkSchema>;
signInLinkSchema.index({ userId: 1 });
signInLinkSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
