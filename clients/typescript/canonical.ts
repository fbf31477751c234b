/**
 * What is signed, and where the signature goes (docs/integrate/requests.md, Authentication). Nothing here hashes:
 * `signature.ts` does with node:crypto, `sign-request.ts` with the Web Crypto that every runtime has.
 */

/** The bytes of a body; a string stands for its UTF-8 bytes. */
export type Bytes = Uint8Array | string;

/** A request of which only the hash of the body is known. */
export interface HashedRequest {
  /** Any case; it is signed in upper case. */
  method: string;
  /** The path as sent, with its percent-encoding and without the query. */
  pathname: string;
  /** Whole seconds since the Unix epoch, as the decimal string that the header carries. */
  timestamp: string;
  /** Lowercase hex. */
  bodySha256: string;
}

/** A request to sign, with the credential and the time. */
export interface SignedRequest {
  key: string;
  /** The secret exactly as shown; it is not decoded. */
  secret: string;
  method: string;
  pathname: string;
  /** The exact bytes on the wire; empty for a GET. */
  body: Bytes;
  /** The sender's time in seconds since the Unix epoch; fractions are truncated. */
  nowSeconds: number;
  /** The service's brand word. */
  brand?: string | undefined;
  /** The media type of the body; JSON by default. */
  contentType?: string | undefined;
  /** Required by the service on POST that reports something. */
  idempotencyKey?: string | undefined;
}

/** The five lines that are signed, without a trailing newline (docs/integrate/requests.md, Authentication). */
export function canonicalStringOfHash(request: HashedRequest): string {
  const { method, pathname, timestamp, bodySha256 } = request;
  return ['v1', method.toUpperCase(), pathname, timestamp, bodySha256].join('\n');
}

/** The names of the three signature headers (docs/integrate/requests.md, Authentication). */
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
 * The timestamp that a request is signed with.
 * @throws RangeError if the pathname contains a query, which is never signed
 */
export function timestampOf({ pathname, nowSeconds }: SignedRequest): string {
  if (pathname.includes('?')) throw new RangeError('the pathname must not hold a query');
  return String(Math.floor(nowSeconds));
}

/** All headers of a signed request. */
export function headersOf(
  { key, body, brand, contentType = 'application/json', idempotencyKey }: SignedRequest,
  { timestamp, signature }: { timestamp: string; signature: string },
): Record<string, string> {
  const names = headerNames(brand);
  return {
    ...(body.length > 0 && { 'Content-Type': contentType }),
    [names.key]: key,
    [names.timestamp]: timestamp,
    [names.signature]: signature,
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
}
