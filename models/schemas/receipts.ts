import { collection, date, listOf, nullable, number, type Stored, text } from './fields.ts';

/** A leaf of the log of LIVE entries. Insert-only. */
export const ledgerLeafSchema = collection('ledger_leaves', {
  /** Its place in the log, from 0. */
  _id: number,
  partnerId: text,
  /** The number of its entry in the partner's ledger. */
  seq: number,
  /** Base64: its own hash, and that of each complete subtree that ends with it, by level. */
  hashes: listOf(text),
});
export type LedgerLeafDoc = Stored<typeof ledgerLeafSchema>;
ledgerLeafSchema.index({ partnerId: 1, seq: -1 }, { unique: true });

/** A signed tree head of the log. Insert-only. */
export const treeHeadSchema = collection('tree_heads', {
  /** How many leaves it covers. */
  _id: number,
  keyId: text,
  signedAt: date,
  /** What it says, as a JWS (models/receipts/tree-heads.ts). */
  signed: text,
});
export type TreeHeadDoc = Stored<typeof treeHeadSchema>;

/** A key that tree heads are signed with, Ed25519. Its public part is kept for good. */
export const signingKeySchema = collection('signing_keys', {
  /** Its thumbprint (RFC 7638). */
  _id: text,
  /** Base64url, as in a JWK. */
  publicKey: text,
  /** The private part; null once the key is retired. */
  sealed: nullable(text),
  createdAt: date,
  retiredAt: nullable(date),
});
export type SigningKeyDoc = Stored<typeof signingKeySchema>;
signingKeySchema.index({ createdAt: -1 });
// One at a time signs.
signingKeySchema.index(
  { retiredAt: 1 },
  { unique: true, partialFilterExpression: { sealed: { $type: 'string' } } },
);
