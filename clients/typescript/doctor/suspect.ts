import { createHmac } from 'node:crypto';
import { canonicalStringOfHash, sha256Hex } from '../signature.ts';
import { bodyVariants, type VariantHashes } from './body-variants.ts';
import { readSignature } from './read-signature.ts';

/** A request whose signature is in question, as it arrived; of its body, what is kept. */
export interface SuspectRequest {
  method: string;
  /** As it was sent, without the query. */
  pathname: string;
  /** What follows the question mark; null without one. */
  query: string | null;
  /** The Host header; null where it is not known. */
  host: string | null;
  /** The three headers of the signature; empty where one was not sent. */
  key: string;
  timestamp: string;
  signature: string;
  body: BodyEvidence;
  /** By the service's clock, in seconds since the Unix epoch. */
  receivedAtSeconds: number;
}

/** What is kept of a body, so that it need not be kept itself. */
export interface BodyEvidence {
  /** Null where only the hash of the body is known. */
  lengthBytes: number | null;
  /** Lower-case hex. */
  sha256: string;
  /** Null where they were not worked out. */
  variants: VariantHashes | null;
  /** The string around the body itself that was signed. */
  signedForm: RawForm | null;
}

/** Strings that other services have signed: what stands in them before the body itself. */
const rawForms = {
  BODY_ALONE: () => '',
  TIMESTAMP_AND_BODY: ({ timestamp }: Head) => `${timestamp}.`,
  BODY_AS_LINE_5: (head: Head) => canonicalStringOfHash({ ...head, bodySha256: '' }),
} as const;

export type RawForm = keyof typeof rawForms;
type Head = Pick<SuspectRequest, 'method' | 'pathname' | 'timestamp'>;

/**
 * Takes from a body what a diagnosis needs, while it is at hand.
 * @param body at most 64 KiB
 * @param secrets the active ones
 */
export function examineBody(
  request: Head & Pick<SuspectRequest, 'signature'>,
  body: Uint8Array,
  secrets: readonly string[],
): BodyEvidence {
  return {
    ...measureBody(body),
    variants: bodyVariants(body),
    signedForm: signedFormOf(request, body, secrets),
  };
}

/** The least that is kept of a body, at the price of one hash. */
export function measureBody(body: Uint8Array): BodyEvidence {
  const sha256 = sha256Hex(body);
  return { lengthBytes: body.length, sha256, variants: null, signedForm: null };
}

/** The string that the service builds of a request. */
export function ourString(request: Head & Pick<SuspectRequest, 'body'>): string {
  return canonicalStringOfHash({ ...request, bodySha256: request.body.sha256 });
}

function signedFormOf(
  { signature, ...head }: Parameters<typeof examineBody>[0],
  body: Uint8Array,
  secrets: readonly string[],
): RawForm | null {
  const { digest } = readSignature(signature);
  if (!digest || body.length === 0) return null;
  const isSigned = (form: RawForm, secret: string): boolean =>
    createHmac('sha256', secret).update(rawForms[form](head)).update(body).digest().equals(digest);
  const forms = Object.keys(rawForms) as RawForm[];
  return forms.find((form) => secrets.some((secret) => isSigned(form, secret))) ?? null;
}
