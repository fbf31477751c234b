import { canonicalStringOfHash, headersOf, type SignedRequest, timestampOf } from './canonical.ts';

const encoder = new TextEncoder();
const hmacSha256 = { name: 'HMAC', hash: 'SHA-256' };

/**
 * All headers of a signed request, made with the Web Crypto that Node, Deno, Bun and edge runtimes
 * have. Sign each attempt separately, because the timestamp is signed.
 * @throws RangeError if the pathname contains a query, which is never signed
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
