import { collection, date, nullable, type Stored, text } from './fields.ts';

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
