import {
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/**
 * A plain hash. Of secrets alone that `newToken` made: 256 random bits cannot be found by trying, so
 * that a key would add nothing.
 * @returns lowercase hex
 */
export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Hashes with a key of its own for one purpose, derived from another key. Keys are key objects: they
 * show in no log, and a digest under one costs an eighth of a digest under the same bytes.
 * @returns what makes lowercase hex
 */
export function keyedHasher(hashKey: KeyObject, purpose: string) {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', hashKey, '', purpose, 32)));
  return (bytes: Uint8Array | string): string =>
    createHmac('sha256', key).update(bytes).digest('hex');
}

export interface RequestHashes {
  /** @param key as the partner sent it */
  ofIdempotencyKey(key: string): string;
  /** @param body as it arrived */
  ofPayload(body: Uint8Array): string;
}

/**
 * The hashes by which a repeat is known (docs/contract.md, Idempotency). They are keyed, each with a key of
 * its own, because a partner may put a customer's phone number into a key or a short body: whoever
 * reads a plain hash finds that by trying them all.
 * @param hashKey the customers'; it never changes, and neither may these
 */
export function createRequestHashes(hashKey: KeyObject): RequestHashes {
  return {
    ofIdempotencyKey: keyedHasher(hashKey, 'idempotency key'),
    ofPayload: keyedHasher(hashKey, 'payload'),
  };
}

/**
 * A customer is known by a keyed hash (docs/domain.md, Accounting): the same person at one partner has one
 * key, at two partners two, and without the hash key nobody can go back.
 * @param identity from `customerIdentity`
 */
export function customerIdOf(hashKey: KeyObject, partnerId: string, identity: string): string {
  const digest = createHmac('sha256', hashKey)
    .update(`${partnerId}\n${identity}`)
    .digest('base64url');
  return `cus_${digest.slice(0, 32)}`;
}

/** The digits of RFC 4648's base32, in lower case: they survive every list, URL and terminal. */
const base32 = 'abcdefghijklmnopqrstuvwxyz234567';
const shortHashChars = 26;

/**
 * 130 bits of a keyed hash in 26 characters, for a name that tells things apart and gives nothing
 * away of what it is made from.
 */
export function shortKeyedHash(hashKey: KeyObject, text: string): string {
  const digest = createHmac('sha256', hashKey).update(text).digest();
  return Array.from(
    { length: shortHashChars },
    (_, index) => base32[(digest[index] ?? 0) % 32],
  ).join('');
}

/** 256 random bits in 43 characters that are safe in a URL: for claim links, secrets and tokens. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}
