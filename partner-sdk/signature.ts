import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * Request signing, version 1 (specification, Authentication). Signing and verifying stand in one
 * module, so that both sides build the same string. Time is passed in.
 */

/** The bytes of a body; a string stands for its UTF-8 bytes. */
export type Bytes = Uint8Array | string;

export interface RequestToSign {
  /** Any case; it is signed in upper case. */
  method: string;
  /** The path as sent, percent-encoding included, without the query. */
  pathname: string;
  /** Whole seconds since the Unix epoch, as the decimal string that the header carries. */
  timestamp: string;
  /** The exact bytes on the wire; empty for a GET. */
  body: Bytes;
}

/** How far a timestamp may be off, either way, in seconds (contract, Requests). */
export const defaultToleranceSeconds = 300;

/** @returns lowercase hex */
export function sha256Hex(bytes: Bytes): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The five lines that are signed, without a trailing newline (specification, Signing procedure 2). */
export function canonicalString({ body, ...head }: RequestToSign): string {
  return canonicalStringOfHash({ ...head, bodySha256: sha256Hex(body) });
}

/**
 * The same for a body of which only the hash is at hand.
 * @param bodySha256 lowercase hex
 */
export function canonicalStringOfHash({
  method,
  pathname,
  timestamp,
  bodySha256,
}: Omit<RequestToSign, 'body'> & { bodySha256: string }): string {
  return ['v1', method.toUpperCase(), pathname, timestamp, bodySha256].join('\n');
}

/**
 * Signs a request (specification, Signing procedure 3).
 * @param request the request, and the raw secret as it was shown (it is not decoded)
 * @returns the signature header's value, `sha256=<lowercase hex>`
 */
export function sign({ secret, ...request }: RequestToSign & { secret: string }): string {
  return signCanonical(secret, canonicalString(request));
}

/** Signs a canonical string that is there already. */
export function signCanonical(secret: string, canonical: string): string {
  return `sha256=${hmac(secret, canonical).toString('hex')}`;
}

// An unknown key and a key with one or two secrets all cost as many digests as this, so that the
// time of an answer does not say which it was. Two, because two secrets may be active at a time.
const leastDigests = 2;
const dummySecret = createSecretKey(randomBytes(32));
const digestBytes = 32;

/**
 * Says which of the active secrets made a signature, in a time that tells nothing about the
 * secrets, about how many there are (none, one or two), or about where a signature is wrong
 * (contract, Requests).
 * @param secrets the active secrets, raw or as keys; none for an unknown or revoked key
 * @param signature the signature header as it arrived
 * @param canonical the `canonicalString` of the request as it arrived
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
 * Whether a timestamp is within the clock window, past or future (contract, Requests).
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
 * The names of the three signature headers (specification, Authentication).
 * @param brand the service's brand word
 */
export function headerNames(brand = 'Partner'): {
  key: string;
  timestamp: string;
  signature: string;
} {
  return {
    key: `X-${brand}-Key`,
    timestamp: `X-${brand}-Timestamp`,
    signature: `X-${brand}-Signature`,
  };
}

/**
 * Every header that a signed request carries. Sign each attempt anew: the timestamp is part of it.
 * @param nowSeconds the sender's time in seconds since the Unix epoch; fractions are cut off
 * @param idempotencyKey required by the service on POST
 * @throws RangeError when the pathname holds a query, which is never signed (contract, Requests)
 */
export function signedHeaders(request: {
  key: string;
  secret: string;
  method: string;
  pathname: string;
  body: Bytes;
  nowSeconds: number;
  brand?: string | undefined;
  idempotencyKey?: string | undefined;
}): Record<string, string> {
  const { key, secret, method, pathname, body, nowSeconds, brand, idempotencyKey } = request;
  if (pathname.includes('?')) throw new RangeError('the pathname must not hold a query');
  const names = headerNames(brand);
  const timestamp = String(Math.floor(nowSeconds));
  return {
    ...(body.length > 0 && { 'Content-Type': 'application/json' }),
    [names.key]: key,
    [names.timestamp]: timestamp,
    [names.signature]: sign({ secret, method, pathname, timestamp, body }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
}

function hmac(secret: string | KeyObject, canonical: string): Buffer {
  return createHmac('sha256', secret).update(canonical).digest();
}
