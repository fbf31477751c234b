import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import { type ServiceAccountScope, serviceAccountScopes } from '../../domain/service-accounts.ts';

/** A token of a service account, stored as its hash only. */
export interface ServiceTokenDoc {
  tokenHash: string;
  createdAt: Date;
  /** Until when a replaced token works along with the new one. */
  endsAt: Date | null;
  /** To the minute. */
  lastUsedAt: Date | null;
  /** The client address of the last use. */
  lastUsedFrom: string | null;
}

/**
 * A partner's program that reads in one mode. It belongs to the partner, and stays when a user
 * leaves.
 */
export interface ServiceAccountDoc {
  _id: string;
  partnerId: string;
  mode: Mode;
  /** What it is for, as named by the partner. */
  name: string;
  scopes: ServiceAccountScope[];
  /** Newest first; at most two. */
  tokens: ServiceTokenDoc[];
  createdAt: Date;
  /** Null if it works until it is revoked. */
  expiresAt: Date | null;
  revokedAt: Date | null;
}

const date = { type: Date, default: null };

export const serviceAccountSchema = new Schema<ServiceAccountDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    name: { type: String, required: true },
    scopes: { type: [{ type: String, enum: serviceAccountScopes }], required: true },
    tokens: [
      new Schema<ServiceTokenDoc>(
        {
          tokenHash: { type: String, required: true },
          createdAt: { type: Date, required: true },
          endsAt: date,
          lastUsedAt: date,
          lastUsedFrom: { type: String, default: null },
        },
        { _id: false },
      ),
    ],
    createdAt: { type: Date, required: true },
    expiresAt: date,
    revokedAt: date,
  },
  { collection: 'service_accounts', versionKey: false },
);
serviceAccountSchema.index({ 'tokens.tokenHash': 1 }, { unique: true });
serviceAccountSchema.index({ partnerId: 1, _id: -1 });
serviceAccountSchema.index({ partnerId: 1, mode: 1, _id: -1 });
