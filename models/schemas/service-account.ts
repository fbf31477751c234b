import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';
import { type ServiceAccountScope, serviceAccountScopes } from '../../domain/service-accounts.ts';

/** A token of a service account, of which the hash alone is kept. */
export interface ServiceTokenDoc {
  tokenHash: string;
  createdAt: Date;
  /** Of one that was replaced: until when it works beside the new one. */
  endsAt: Date | null;
  /** To the minute. */
  lastUsedAt: Date | null;
  /** The network address that used it then. */
  lastUsedFrom: string | null;
}

/** A program of a partner that reads in one mode. It is the partner's, and stays when a person leaves. */
export interface ServiceAccountDoc {
  _id: string;
  partnerId: string;
  mode: Mode;
  /** What it is for, in the partner's words. */
  name: string;
  scopes: ServiceAccountScope[];
  /** The newest first; two at most. */
  tokens: ServiceTokenDoc[];
  createdAt: Date;
  /** Null for one that works until it is revoked. */
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
