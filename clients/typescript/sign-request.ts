import { canonicalStringOfHash, headersOf, type SignedRequest, timestampOf } from './canonical.ts';

const encoder = new TextEncoder();
const hmacSha256 = { name: 'HMAC', hash: 'SHA-256' };

/**
 * Every header that a signed request carries, with the Web Crypto that Node, Deno, Bun and edge runtimes
 * all have. Sign each attempt anew: the timestamp is part of it.
 * @throws RangeError when the pathname holds a query, which is never signed
 */
export async function signRequest(request: SignedRequest): Promise<Record<string, string>> {
  const { secret, method, pathname, body } = request;
  const timestamp = timestampOf(request);
  const bytes = typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body);
  const bodySha256 = toHex(await crypto.subtle.digest('SHA-256', bytes));
  const canonical = canonicalStringOfHash({ method, pathname, timestamp, bodySha256 });
  const raw = encoder.encode(secret);
  const key = await crypto.subtle.importKey('raw', raw, hmacSha256, false, ['sign']);
  const digest = await crypto.subtle.sign('HMAC', key, encoder.encode(canonical));
  return headersOf(request, { timestamp, signature: `sha256=${toHex(digest)}` });
}

function toHex(buffer: ArrayBuffer): string {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
