import { Schema } from 'mongoose';

/**
 * A token that a partner's user created for a program, which reads the log and moves TEST rewards
 * with the user's permissions.
 */
export interface AccessTokenDoc {
  _id: string;
  partnerId: string;
  userId: string;
  /** What it is for, as named by its user. */
  name: string;
  /** The hash of the token, which is shown once. */
  tokenHash: string;
  createdAt: Date;
  expiresAt: Date;
  /** To the minute. */
  lastUsedAt: Date | null;
  /** The client address of the last use. */
  lastUsedFrom: string | null;
}

export const accessTokenSchema = new Schema<AccessTokenDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    userId: { type: String, required: true },
    name: { type: String, required: true },
    tokenHash: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    lastUsedAt: { type: Date, default: null },
    lastUsedFrom: { type: String, default: null },
  },
  { collection: 'access_tokens', versionKey: false },
);
accessTokenSchema.index({ tokenHash: 1 }, { unique: true });
accessTokenSchema.index({ userId: 1, createdAt: -1 });
accessTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
