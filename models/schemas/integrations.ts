import { modes } from '../../domain/mode.ts';
import type { OrderColumnNames } from '../../domain/orders.ts';
import { type Scope, serviceAccountScopes } from '../../domain/partners.ts';
import { deliveries } from '../../domain/purchase.ts';
import type { OngoingRehearsal } from '../../domain/rehearsal.ts';
import {
  collection,
  date,
  listOf,
  mark,
  mixed,
  nullable,
  oneOf,
  optional,
  part,
  type Stored,
  text,
  typedText,
  withDefault,
} from './fields.ts';

/** One system of a partner that sends events; partners see it as `source`. */
export const integrationSchema = collection(
  'integrations',
  {
    _id: text,
    partnerId: text,
    name: text,
    /** Who delivers claim links to its customers. */
    delivery: withDefault(oneOf(deliveries), 'SERVICE'),
    /** The column names of its export of orders, from the last file compared. */
    orderColumns: optional(mixed<OrderColumnNames>()),
    createdAt: date,
  },
  { minimize: false },
);
export type IntegrationDoc = Stored<typeof integrationSchema>;
integrationSchema.index({ partnerId: 1, _id: 1 }, { unique: true });

export type { Scope };

/** One signing secret of a credential, sealed and bound to the credential's id. */
const secret = part({
  secretId: text,
  sealed: text,
  createdAt: date,
  /** Null in TEST, where it works until it is revoked. */
  expiresAt: nullable(date),
  lastUsedAt: nullable(date),
  revokedAt: nullable(date),
  /** Operators made it: an owner of the partner is shown it once, and nobody else. */
  awaitsOwner: mark,
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
  scopes: listOf(typedText<Scope>()),
  secrets: listOf(secret),
  createdAt: date,
  revokedAt: nullable(date),
  /** Of a TEST key: its newest rehearsal, unless it was ended early. */
  rehearsal: optional(mixed<OngoingRehearsal>()),
});
export type CredentialDoc = Stored<typeof credentialSchema>;
credentialSchema.index({ partnerId: 1, _id: 1 }, { unique: true });
credentialSchema.index({ apiKey: 1 });

/** A token of a service account, stored as its hash only. */
const serviceToken = part({
  tokenHash: text,
  createdAt: date,
  /** Until when a replaced token works along with the new one. */
  endsAt: nullable(date),
  /** To the minute. */
  lastUsedAt: nullable(date),
  /** The client address of the last use. */
  lastUsedFrom: nullable(text),
});
export type ServiceTokenDoc = Stored<typeof serviceToken>;

/**
 * A partner's program that reads in one mode. It belongs to the partner, and stays when a user
 * leaves.
 */
export const serviceAccountSchema = collection('service_accounts', {
  _id: text,
  partnerId: text,
  mode: oneOf(modes),
  /** What it is for, as named by the partner. */
  name: text,
  scopes: listOf(oneOf(serviceAccountScopes)),
  /** Newest first; at most two. */
  tokens: listOf(serviceToken),
  createdAt: date,
  /** Null if it works until it is revoked. */
  expiresAt: nullable(date),
  revokedAt: nullable(date),
});
export type ServiceAccountDoc = Stored<typeof serviceAccountSchema>;
serviceAccountSchema.index({ 'tokens.tokenHash': 1 }, { unique: true });
serviceAccountSchema.index({ partnerId: 1, _id: -1 });
serviceAccountSchema.index({ partnerId: 1, mode: 1, _id: -1 });
