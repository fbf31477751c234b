import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Platform } from '../domain/connections.ts';

/** How platforms prove that they sent a body. */

/** Header names in lower case; `platform/` knows no HTTP. */
export const signatureHeaders: Readonly<Record<Platform, string>> = {
  SHOPIFY: 'x-shopify-hmac-sha256',
  WOOCOMMERCE: 'x-wc-webhook-signature',
  STRIPE: 'stripe-signature',
};

/** How far Stripe's timestamp may be from our clock. */
export const stripeToleranceSeconds = 300;

export interface SignedBody {
  platform: Platform;
  body: Buffer;
  /** The header's value; empty if it is missing. */
  signature: string;
  nowMs: number;
}

const maxSignatureChars = 2_048;

/**
 * Which of the secrets signed a body, in constant time for each.
 * @returns its place among the secrets, or why none fits
 */
export async function verifyShopSignature(
  { platform, body, signature, nowMs }: SignedBody,
  secrets: readonly KeyObject[],
): Promise<number | 'MISSING' | 'WRONG' | 'OLD'> {
  if (signature === '' || signature.length > maxSignatureChars) return 'MISSING';
  if (platform === 'STRIPE') return await verifyStripe({ body, signature, nowMs }, secrets);
  const given = Buffer.from(signature, 'base64');
  const matches = secrets.map((secret) => {
    const own = createHmac('sha256', secret).update(body).digest();
    return given.length === own.length && timingSafeEqual(given, own);
  });
  const matched = matches.indexOf(true);
  return matched === -1 ? 'WRONG' : matched;
}

/** By Stripe's own library: `t` and any of several `v1`. It is loaded with the first delivery of Stripe. */
async function verifyStripe(
  { body, signature, nowMs }: Pick<SignedBody, 'body' | 'signature' | 'nowMs'>,
  secrets: readonly KeyObject[],
): Promise<number | 'WRONG' | 'OLD'> {
  const { default: Stripe } = await import('stripe');
  const { signature: verifier } = Stripe.webhooks;
  if (verifier === null) throw new Error('the library verifies no signatures');
  const isSigned = (secret: KeyObject, tolerance: number): boolean => {
    try {
      const text = secret.export().toString('utf8');
      verifier.verifyHeader(body, signature, text, tolerance, undefined, nowMs);
      return true;
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
      throw error;
    }
  };
  const matched = secrets.findIndex((secret) => isSigned(secret, stripeToleranceSeconds));
  if (matched !== -1) {
    // The library accepts times that are to come.
    const times = [...signature.matchAll(/(?:^|,)t=(\d{1,12})/g)].map(([, time]) => Number(time));
    const latestMs = Math.max(...times) * 1_000;
    return latestMs > nowMs + stripeToleranceSeconds * 1_000 ? 'OLD' : matched;
  }
  // A tolerance of zero means none to the library.
  return secrets.some((secret) => isSigned(secret, 0)) ? 'OLD' : 'WRONG';
}

/** What is wrong with a signature that no secret fits, as far as it shows. */
export type SignatureProblem =
  | 'NOT_BASE64'
  | 'BODY_CHANGED'
  | 'OTHER_CONNECTION'
  | 'SECRET_WITH_BLANKS'
  | 'OTHER_SECRET';

/**
 * Finds out what is wrong with a refused signature.
 * @param others the secrets of the partner's other connections to the same platform
 */
export async function diagnoseShopSignature(
  signed: SignedBody,
  secrets: readonly KeyObject[],
  others: readonly KeyObject[],
): Promise<SignatureProblem> {
  const { platform, body, signature } = signed;
  const fits = async (bytes: Buffer, some: readonly KeyObject[]) =>
    typeof (await verifyShopSignature({ ...signed, body: bytes }, some)) === 'number';
  if (platform !== 'STRIPE' && Buffer.from(signature, 'base64').length !== digestBytes) {
    return 'NOT_BASE64';
  }
  if (await fits(body, others)) return 'OTHER_CONNECTION';
  const trimmed = secrets.map((secret) =>
    createSecretKey(Buffer.from(secret.export().toString('utf8').trim())),
  );
  if (await fits(body, trimmed)) return 'SECRET_WITH_BLANKS';
  for (const before of asItMayHaveBeen(body))
    if (await fits(before, secrets)) return 'BODY_CHANGED';
  return 'OTHER_SECRET';
}

const digestBytes = 32;

/** How a body may have been before something on the way parsed it and wrote it again. */
function asItMayHaveBeen(body: Buffer): Buffer[] {
  const text = body.toString('utf8');
  const trimmed = [text.trim(), `${text.trim()}\n`];
  try {
    const value: unknown = JSON.parse(text);
    const compact = JSON.stringify(value);
    // PHP escapes slashes, and what is not ASCII.
    const escaped = compact.replaceAll('/', '\\/');
    const ascii = (json: string) =>
      json.replace(
        /[\u0080-\uffff]/g,
        (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    const written = [compact, JSON.stringify(value, null, 2), escaped];
    return [...trimmed, ...written, ...written.map(ascii)].map((one) => Buffer.from(one));
  } catch {
    return trimmed.map((one) => Buffer.from(one));
  }
}
