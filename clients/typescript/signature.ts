import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

import {
  type Bytes,
  canonicalStringOfHash,
  type HashedRequest,
  headersOf,
  type SignedRequest,
  timestampOf,
} from './canonical.ts';

export { type Bytes, canonicalStringOfHash, headerNames } from './canonical.ts';

/**
 * Request signing, version 1 (docs/integrate/requests.md, Authentication), synchronous and with node:crypto. Signing
 * and verifying share this module, so that both sides build the same string. Callers pass in the time.
 */

export interface RequestToSign extends Omit<HashedRequest, 'bodySha256'> {
  /** The exact bytes on the wire; empty for a GET. */
  body: Bytes;
}

/** The maximum difference of a timestamp from the service's clock, in seconds. */
export const defaultToleranceSeconds = 300;

/** @returns lowercase hex */
export function sha256Hex(bytes: Bytes): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The five lines that are signed, without a trailing newline (docs/integrate/requests.md, Authentication). */
export function canonicalString({ body, ...head }: RequestToSign): string {
  return canonicalStringOfHash({ ...head, bodySha256: sha256Hex(body) });
}

/**
 * Signs a request (docs/integrate/requests.md, Authentication).
 * @param request the request, and the raw secret as it was shown (it is not decoded)
 * @returns the signature header's value, `sha256=<lowercase hex>`
 */
export function sign({ secret, ...request }: RequestToSign & { secret: string }): string {
  return signCanonical(secret, canonicalString(request));
}

/** Signs a given canonical string. */
export function signCanonical(secret: string, canonical: string): string {
  return `sha256=${hmac(secret, canonical).toString('hex')}`;
}

// Unknown keys and keys with one or two secrets all cost this many digests, so that the response
// time does not reveal which it was. Two, because a key has at most two active secrets.
const leastDigests = 2;
const dummySecret = createSecretKey(randomBytes(32));
const digestBytes = 32;

/**
 * Finds the active secret that made a signature, in a time that reveals nothing about the
 * secrets, about how many there are (none, one or two), or about where a signature is wrong.
 * @param secrets the active secrets, raw or as keys; none for an unknown or revoked key
 * @param signature the signature header as received
 * @param canonical the `canonicalString` of the request as received
 * @returns the index of the secret in `secrets`, or -1
 */
export function verifySignature({
  secrets,
  signature,
  canonical,
}: {
  secrets: readonly (string | KeyObject)[];
  signature: string;
  canonical: string;
}): number {
  const wellFormed = /^sha256=[0-9a-f]{64}$/.test(signature);
  const given = wellFormed ? Buffer.from(signature.slice(7), 'hex') : Buffer.alloc(digestBytes);
  let found = -1;
  for (let index = 0; index < Math.max(secrets.length, leastDigests); index += 1) {
    const secret = secrets[index];
    const equal = timingSafeEqual(hmac(secret ?? dummySecret, canonical), given);
    if (equal && wellFormed && secret !== undefined && found === -1) found = index;
  }
  return found;
}

/**
 * Whether a timestamp is within the clock window, past or future.
 * @param timestamp the header's value; anything but 1 to 12 decimal digits is not fresh
 * @param nowSeconds the verifier's time in seconds since the Unix epoch
 */
export function isTimestampFresh({
  timestamp,
  nowSeconds,
  toleranceSeconds = defaultToleranceSeconds,
}: {
  timestamp: string;
  nowSeconds: number;
  toleranceSeconds?: number;
}): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(nowSeconds - Number(timestamp)) <= toleranceSeconds;
}

/**
 * All headers of a signed request. Sign each attempt separately, because the timestamp is signed.
 * @throws RangeError if the pathname contains a query, which is never signed
 */
export function signedHeaders(request: SignedRequest): Record<string, string> {
  const { secret, method, pathname, body } = request;
  const timestamp = timestampOf(request);
  const signature = sign({ secret, method, pathname, timestamp, body });
  return headersOf(request, { timestamp, signature });
}

function hmac(secret: string | KeyObject, canonical: string): Buffer {
  return createHmac('sha256', secret).update(canonical).digest();
}
