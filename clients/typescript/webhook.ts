import type { Bytes } from './canonical.ts';
import type { WebhookEvent } from './webhook-events.ts';

export type WebhookErrorCode =
  | 'INVALID_SECRET'
  | 'MISSING_HEADER'
  | 'TIMESTAMP_OUT_OF_RANGE'
  | 'INVALID_SIGNATURE'
  | 'INVALID_BODY';

/** A webhook that is not verifiably the service's: respond with 400, and ignore its content. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The request's headers: those of fetch, of node:http, or any object, with names in any case. */
export type WebhookHeaders =
  | Pick<Headers, 'get'>
  | Record<string, string | readonly string[] | undefined>;

export interface WebhookOptions {
  /** The maximum difference between the webhook's time and this machine's. */
  toleranceSeconds?: number | undefined;
  /** Milliseconds since the Unix epoch. */
  now?: (() => number) | undefined;
}

const prefix = 'whsec_';
const encoder = new TextEncoder();

/**
 * Verifies that the service sent a webhook (Standard Webhooks 1.0), and returns its event. It works wherever there
 * is Web Crypto.
 * @param rawBody the exact bytes received, not re-serialized from parsed JSON
 * @param secret the endpoint's, `whsec_…`; several while one is being replaced, of which any is accepted
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  rawBody: Bytes,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: WebhookOptions = {},
): Promise<WebhookEvent> {
  const keys = [secret].flat().map(keyOf);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  checkTimestamp(timestamp, toleranceSeconds, now() / 1000);
  const body = bytesOf(rawBody);
  const signed = concatenate(encoder.encode(`${id}.${timestamp}.`), body);
  let isSigned = false;
  for (const key of keys) {
    const expected = `v1,${await hmacBase64(key, signed)}`;
    for (const signature of signatures) isSigned = isSame(signature, expected) || isSigned;
  }
  if (keys.length === 0 || !isSigned) {
    throw new WebhookVerificationError(
      'INVALID_SIGNATURE',
      'webhook-signature does not match. Check the secret of this endpoint, and that the body is the raw bytes that arrived.',
    );
  }
  return parse(body);
}

/**
 * The headers of a webhook as the service signs it: for tests of a receiver, and for `listen --forward-to`.
 * @param atSeconds since the Unix epoch
 * @throws WebhookVerificationError INVALID_SECRET
 */
export async function signWebhook(
  rawBody: Bytes,
  { id, secret, atSeconds }: { id: string; secret: string; atSeconds: number },
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(atSeconds));
  const signed = concatenate(encoder.encode(`${id}.${timestamp}.`), bytesOf(rawBody));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${await hmacBase64(keyOf(secret), signed)}`,
  };
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  try {
    const key = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    if (key.length > 0) return key;
  } catch {
    // Said below.
  }
  const message = `A webhook secret is ${prefix} and base64, as the endpoint's page showed it.`;
  throw new WebhookVerificationError('INVALID_SECRET', message);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = typeof value === 'string' ? value : value?.[0];
  if (text) return text;
  throw new WebhookVerificationError('MISSING_HEADER', `The request has no ${name} header.`);
}

function checkTimestamp(timestamp: string, toleranceSeconds: number, nowSeconds: number): void {
  const seconds = /^[0-9]{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (Math.abs(Math.floor(nowSeconds) - seconds) <= toleranceSeconds) return;
  throw new WebhookVerificationError(
    'TIMESTAMP_OUT_OF_RANGE',
    `webhook-timestamp must be within ${toleranceSeconds} s of this machine's clock, which reads ${Math.floor(nowSeconds)}.`,
  );
}

function bytesOf(rawBody: Bytes): Uint8Array {
  if (typeof rawBody === 'string') return encoder.encode(rawBody);
  if (rawBody instanceof Uint8Array) return rawBody;
  throw new WebhookVerificationError('INVALID_BODY', 'Give the raw body as bytes or a string.');
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

async function hmacBase64(
  raw: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const hmacSha256 = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', raw, hmacSha256, false, ['sign']);
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  return btoa(String.fromCharCode(...digest));
}

/** Constant-time comparison. */
function isSame(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let at = 0; at < expected.length; at += 1) {
    difference |= given.charCodeAt(at) ^ expected.charCodeAt(at);
  }
  return difference === 0;
}

function parse(body: Uint8Array): WebhookEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof event === 'object' && event !== null) return event as WebhookEvent;
  } catch {
    // Said below.
  }
  throw new WebhookVerificationError('INVALID_BODY', 'The body is not a JSON object.');
}
