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
  requireCurrent(head);
  const previous = previousTreeHead === null ? null : verifyHead(previousTreeHead, keys);
  if (previous !== null) {
    check(previous.log === head.log, 'the two tree heads are of different logs');
    check(
      Date.parse(previous.signedAt) <= Date.parse(head.signedAt),
      'the previous tree head is signed after the newest',
    );
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
  const pendingEntries = verifyStatement(receipt, head, keys);
  return { rewardId, entries, pendingEntries, head, previous };
}

/**
 * Verifies that the service itself says that these are all entries of the reward under the head: without that, whoever
 * keeps a receipt could leave one out.
 * @returns how many are newer than the head
 */
function verifyStatement(
  { rewardId, entries, pendingEntries, statement }: Receipt,
  head: VerifiedHead,
  keys: readonly SigningKey[],
): number {
  const { said, ...signer } = verifyJws('the statement', statement, keys);
  requireCurrent(signer);
  const claimed = {
    log: head.log,
    size: head.size,
    rewardId,
    indexes: entries.map(({ index }) => index),
    pendingEntries,
  };
  check(
    Object.entries(claimed).every(
      ([name, value]) => JSON.stringify(said[name]) === JSON.stringify(value),
    ),
    'the service stated other entries of the reward: one was left out, added or moved',
  );
  return pendingEntries;
}

/**
 * Who has a retired key can sign what they like, with any date before its retirement. What it signed while it was
 * current is believed only as the previous head, which the current key continues.
 */
function requireCurrent({ keyId, retiredAt }: Pick<VerifiedHead, 'keyId' | 'retiredAt'>): void {
  check(retiredAt === null, `key ${keyId} was retired at ${retiredAt}: get the receipt again`);
}

/** Verifies a JWS with EdDSA (RFC 7515, RFC 8037), by the key that it names. */
function verifyJws(what: string, jws: string, keys: readonly SigningKey[]) {
  const [header = '', payload = '', signature = '', ...rest] = jws.split('.');
  const { alg, kid: keyId } = jsonOf(header);
  check(alg === 'EdDSA' && rest.length === 0, `${what} is not signed with EdDSA`);
  const key = keys.find(({ kid }) => kid === keyId);
  if (key === undefined) {
    throw new InvalidReceiptError(`${what} is signed with key ${keyId}, which is not given`);
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
  check(isSigned, `the signature of ${what} is wrong`);
  return { said: jsonOf(payload), keyId, retiredAt };
}

function verifyHead(jws: string, keys: readonly SigningKey[]): VerifiedHead {
  const { said, keyId, retiredAt } = verifyJws('a tree head', jws, keys);
  const { log, size, rootHash, signedAt } = said;
  check(isInstant(signedAt), 'a tree head does not say when it was signed');
  const isLate = retiredAt !== null && Date.parse(signedAt) > Date.parse(retiredAt);
  check(!isLate, `a tree head is signed with key ${keyId} after the key was retired`);
  return { log, size, rootHash, signedAt, keyId, retiredAt };
}

/** As the service writes it: only that can be compared. */
const isInstant = (text: unknown): boolean =>
  typeof text === 'string' &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString() === text;

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
