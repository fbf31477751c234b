import { Schema } from 'mongoose';
import { type Mode, modes } from '../../domain/mode.ts';

export type Scope = 'events:write' | 'events:read';

/** One signing secret of a credential, sealed and bound to the credential's id. */
export interface SecretDoc {
  secretId: string;
  sealed: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** An API key with up to two active secrets, so that a secret can be rotated without an outage. */
export interface CredentialDoc {
  _id: string;
  partnerId: string;
  integrationId: string;
  mode: Mode;
  /** The value of the key header; public, unlike the secrets. */
  apiKey: string;
  scopes: Scope[];
  secrets: SecretDoc[];
  createdAt: Date;
  revokedAt: Date | null;
}

export const credentialSchema = new Schema<CredentialDoc>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    integrationId: { type: String, required: true },
    mode: { type: String, enum: modes, required: true },
    apiKey: { type: String, required: true },
    scopes: { type: [String], required: true },
    secrets: [
      new Schema<SecretDoc>(
        {
          secretId: { type: String, required: true },
          sealed: { type: String, required: true },
          createdAt: { type: Date, required: true },
          lastUsedAt: { type: Date, default: null },
          revokedAt: { type: Date, default: null },
        },
        { _id: false },
      ),
    ],
    createdAt: { type: Date, required: true },
    revokedAt: { type: Date, default: null },
  },
  { collection: 'credentials', versionKey: false },
);
credentialSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
credentialSchema.index({ apiKey: 1 });
