import {
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { generateSecret, generateURI, verifySync } from 'otplib';

/**
 * A plain hash, only for secrets made by `newToken`: 256 random bits cannot be guessed, so that a
 * key would add nothing.
 * @returns lowercase hex
 */
export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A plain hash, for what is public or contains a keyed one. */
export const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/**
 * A keyed hash for one purpose, with a key derived from another. Keys are key objects: they never
 * appear in logs, and hashing with one costs an eighth of hashing with the same bytes.
 * @returns a function that returns lowercase hex
 */
export function keyedHasher(hashKey: KeyObject, purpose: string) {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', hashKey, '', purpose, 32)));
  return (bytes: Uint8Array | string): string =>
    createHmac('sha256', key).update(bytes).digest('hex');
}

export interface RequestHashes {
  /** @param key as received */
  ofIdempotencyKey(key: string): string;
  /** @param body as received */
  ofPayload(body: Uint8Array): string;
}

/**
 * The hashes by which repeats are recognized (docs/integrate/idempotency.md, Idempotency). They are keyed, each
 * with its own key, because a partner may put a customer's phone number into an idempotency key or
 * a short body, which could be found by trying all numbers against a plain hash.
 * @param hashKey the key for customer ids; neither it nor these hashes may ever change
 */
export function createRequestHashes(hashKey: KeyObject): RequestHashes {
  return {
    ofIdempotencyKey: keyedHasher(hashKey, 'idempotency key'),
    ofPayload: keyedHasher(hashKey, 'payload'),
  };
}

/**
 * A customer's id, a keyed hash (docs/concepts/money.md): the same person has one id at one
 * partner and another at the next, and without the key it cannot be reversed.
 * @param identity from `customerIdentity`
 */
export function customerIdOf(hashKey: KeyObject, partnerId: string, identity: string): string {
  const digest = createHmac('sha256', hashKey)
    .update(`${partnerId}\n${identity}`)
    .digest('base64url');
  return `cus_${digest.slice(0, 32)}`;
}

/** RFC 4648 base32 in lower case, which is safe in lists, URLs and terminals. */
const base32 = 'abcdefghijklmnopqrstuvwxyz234567';
const shortHashChars = 26;

/**
 * 130 bits of a keyed hash in 26 characters, for names that are unique and do not reveal what they
 * are made from.
 */
export function shortKeyedHash(hashKey: KeyObject, text: string): string {
  const digest = createHmac('sha256', hashKey).update(text).digest();
  return Array.from(
    { length: shortHashChars },
    (_, index) => base32[(digest[index] ?? 0) % 32],
  ).join('');
}

/** 256 random bits as 43 URL-safe characters, for claim links, secrets and tokens. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Accepts codes from clocks that are up to half a minute off. */
const toleranceSeconds = 30;

/** A new secret for an authenticator app, in base32. */
export const newCodeSecret = (): string => generateSecret();

/** The URI that an authenticator app reads from a QR code. */
export function codeUri(secret: string, email: string): string {
  return generateURI({ issuer: 'Partner Events', label: email, secret });
}

/** A code of six digits as it is compared: people type `123 456` and `123-456`. */
export const plainCode = (code: string): string => code.replace(/[\s\p{Pd}]/gu, '');

/**
 * Verifies a six-digit code.
 * @returns its time step, in half minutes since the epoch, or null if it is wrong. Callers store
 *   the step, so that no code is accepted twice
 */
export function stepOfCode(secret: string, code: string, nowMs: number): number | null {
  const token = plainCode(code);
  if (!/^\d{6}$/.test(token)) return null;
  const epoch = Math.floor(nowMs / 1000);
  const result = verifySync({ secret, token, epoch, epochTolerance: toleranceSeconds });
  return result.valid && 'timeStep' in result ? result.timeStep : null;
}
