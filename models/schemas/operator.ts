import { roles } from '../../domain/operator-roles.ts';
import { collection, date, listOf, nullable, oneOf, part, type Stored, text } from './fields.ts';

/** A bearer token, stored as its hash only. */
const token = part({
  tokenId: text,
  hash: text,
  createdAt: date,
  expiresAt: date,
  /** To the minute. */
  lastUsedAt: nullable(date),
  /** The client address of the last use. */
  lastUsedFrom: nullable(text),
  revokedAt: nullable(date),
});
export type OperatorTokenDoc = Stored<typeof token>;

/** Another operator had this one created, or promoted. */
const introduction = part({
  by: text,
  at: date,
  /** A third operator who confirmed this one. */
  confirmedBy: nullable(text),
});
export type IntroductionDoc = Stored<typeof introduction>;

export const operatorSchema = collection('operators', {
  _id: text,
  name: text,
  role: oneOf(roles),
  tokens: listOf(token),
  /**
   * Who had this operator created, and promoted each time; empty if created in the database
   * directly.
   */
  introductions: listOf(introduction),
  createdAt: date,
  revokedAt: nullable(date),
});
export type OperatorDoc = Stored<typeof operatorSchema>;
// A new operator has no token yet.
operatorSchema.index(
  { 'tokens.hash': 1 },
  { unique: true, name: 'one_token', partialFilterExpression: { 'tokens.hash': { $gt: '' } } },
);
operatorSchema.index({ role: 1, revokedAt: 1 });
