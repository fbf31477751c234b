import { createHash, createPublicKey, verify } from 'node:crypto';
import { isConsistent, leafHash, rootOfInclusion } from './merkle.ts';
import type { Receipt, SigningKey } from './types.ts';

/** What a leaf of the log says. */
export interface LoggedEntry {
  id: string;
  partnerId: string;
  /** ISO 8601. */
  at: string;
  kind: string;
  reference: string;
  rewardId: string | null;
  postings: { account: string; unit: 'CENTS' | 'POINTS'; amount: number }[];
}

/** A tree head, once its signature is verified. */
export interface VerifiedHead {
  /** Whose log it is. */
  log: string;
  /** How many entries it covers. */
  size: number;
  /** Base64. */
  rootHash: string;
  /** ISO 8601. */
  signedAt: string;
  keyId: string;
  /** Since when the key is retired; null for a current one. */
  retiredAt: string | null;
}

export interface VerifiedReceipt {
  rewardId: string;
  entries: LoggedEntry[];
  pendingEntries: number;
  head: VerifiedHead;
  previous: VerifiedHead | null;
}

/** What is wrong with a receipt. */
export class InvalidReceiptError extends Error {
  override name = 'InvalidReceiptError';
}

/**
 * Verifies a receipt without any connection: both heads are signed by one of the keys, the log only grew between
 * them, and each entry is in it, to the byte.
 * @param keys the service's public keys, which you got elsewhere; those in the receipt itself prove nothing about who
 *   made it
 * @throws InvalidReceiptError, which says what is wrong
 */
export function verifyReceipt(receipt: Receipt, keys: readonly SigningKey[]): VerifiedReceipt {
  try {
    return verified(receipt, keys);
  } catch (error) {
    if (error instanceof InvalidReceiptError) throw error;
    throw new InvalidReceiptError('this is not a receipt, or a part of it is missing');
  }
}

function verified(receipt: Receipt, keys: readonly SigningKey[]): VerifiedReceipt {
  const { format, rewardId, treeHead, previousTreeHead, consistencyProof } = receipt;
  check(format === 'partner-events/receipt/1', `the format ${format} is unknown`);
  const head = verifyHead(treeHead, keys);
  const previous = previousTreeHead === null ? null : verifyHead(previousTreeHead, keys);
  if (previous !== null) {
    check(previous.log === head.log, 'the two tree heads are of different logs');
    check(
      isConsistent(treeOf(previous), treeOf(head), consistencyProof.map(bytesOf)),
      'the log does not continue the one of the previous tree head: something was changed or removed',
    );
  }
  check(receipt.entries.length > 0, 'it has no entries');
  const entries = receipt.entries.map(({ index, leaf, inclusionProof }) => {
    const hash = leafHash(Buffer.from(leaf, 'utf8'));
    const root = rootOfInclusion(hash, index, head.size, inclusionProof.map(bytesOf));
    const isIn = root !== null && Buffer.compare(root, treeOf(head).root) === 0;
    check(isIn, `entry ${index} is not in the log as it stands in the receipt`);
    return JSON.parse(leaf) as LoggedEntry;
  });
  check(
    entries.every((entry) => entry.rewardId === rewardId),
    'an entry is of another reward',
  );
  check(
    new Set(receipt.entries.map(({ index }) => index)).size === entries.length,
    'an entry is there twice',
  );
  return { rewardId, entries, pendingEntries: receipt.pendingEntries, head, previous };
}

/** Verifies a JWS with EdDSA (RFC 7515, RFC 8037), by the key that it names. */
function verifyHead(jws: string, keys: readonly SigningKey[]): VerifiedHead {
  const [header = '', payload = '', signature = '', ...rest] = jws.split('.');
  const { alg, kid: keyId } = jsonOf(header);
  check(alg === 'EdDSA' && rest.length === 0, 'a tree head is not signed with EdDSA');
  const key = keys.find(({ kid }) => kid === keyId);
  if (key === undefined) {
    throw new InvalidReceiptError(`a tree head is signed with key ${keyId}, which is not given`);
  }
  const { x, retiredAt = null } = key;
  // A key is what its id says, not what stands beside it.
  check(thumbprintOf(x) === keyId, `key ${keyId} is not the one that its id names`);
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const isSigned = verify(
    null,
    Buffer.from(`${header}.${payload}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  );
  check(isSigned, 'the signature of a tree head is wrong');
  const { log, size, rootHash, signedAt } = jsonOf(payload);
  const isLate = retiredAt !== null && Date.parse(signedAt) > Date.parse(retiredAt);
  check(!isLate, `a tree head is signed with key ${keyId} after the key was retired`);
  return { log, size, rootHash, signedAt, keyId, retiredAt };
}

const jsonOf = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');
const treeOf = ({ size, rootHash }: VerifiedHead) => ({ size, root: bytesOf(rootHash) });

const thumbprintOf = (x: string): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');

function check(isTrue: boolean, problem: string): void {
  if (!isTrue) throw new InvalidReceiptError(problem);
}
