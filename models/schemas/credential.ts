import { modes } from '../../domain/mode.ts';
import {
  collection,
  date,
  listOf,
  nullable,
  oneOf,
  part,
  type Stored,
  text,
  textOf,
} from './fields.ts';

export type Scope = 'events:write' | 'events:read';

/** One signing secret of a credential, sealed and bound to the credential's id. */
const secret = part({
  secretId: text,
  sealed: text,
  createdAt: date,
  lastUsedAt: nullable(date),
  revokedAt: nullable(date),
});
export type SecretDoc = Stored<typeof secret>;

/** An API key with up to two active secrets, so that a secret can be rotated without an outage. */
export const credentialSchema = collection('credentials', {
  _id: text,
  partnerId: text,
  integrationId: text,
  mode: oneOf(modes),
  /** The value of the key header; public, unlike the secrets. */
  apiKey: text,
  scopes: listOf(textOf<Scope>()),
  secrets: listOf(secret),
  createdAt: date,
  revokedAt: nullable(date),
});
export type CredentialDoc = Stored<typeof credentialSchema>;
credentialSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
credentialSchema.index({ apiKey: 1 });
