import { modes } from '../../domain/mode.ts';
import { serviceAccountScopes } from '../../domain/service-accounts.ts';
import { collection, date, listOf, nullable, oneOf, part, type Stored, text } from './fields.ts';

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
