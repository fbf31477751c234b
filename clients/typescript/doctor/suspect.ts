import { createHmac } from 'node:crypto';
import { canonicalStringOfHash, sha256Hex } from '../signature.ts';
import { bodyVariants, type VariantHashes } from './body-variants.ts';
import { readSignature } from './read-signature.ts';

/** A received request whose signature is to be diagnosed, with evidence instead of its body. */
export interface SuspectRequest {
  method: string;
  /** The path as sent, without the query. */
  pathname: string;
  /** The part after the question mark; null without one. */
  query: string | null;
  /** The Host header; null if unknown. */
  host: string | null;
  /** The three signature headers; empty if not sent. */
  key: string;
  timestamp: string;
  signature: string;
  body: BodyEvidence;
  /** The service's time in seconds since the Unix epoch. */
  receivedAtSeconds: number;
}

/** What is stored of a body instead of the body itself. */
export interface BodyEvidence {
  /** Null if only the hash of the body is known. */
  lengthBytes: number | null;
  /** Lower-case hex. */
  sha256: string;
  /** Null if they were not computed. */
  variants: VariantHashes | null;
  /** The format of a signed string that contains the body itself. */
  signedForm: RawForm | null;
}

/** Formats of strings that other services sign: the part before the body. */
const rawForms = {
  BODY_ALONE: () => '',
  TIMESTAMP_AND_BODY: ({ timestamp }: Head) => `${timestamp}.`,
  BODY_AS_LINE_5: (head: Head) => canonicalStringOfHash({ ...head, bodySha256: '' }),
} as const;

export type RawForm = keyof typeof rawForms;
type Head = Pick<SuspectRequest, 'method' | 'pathname' | 'timestamp'>;

/**
 * Extracts from a body what a diagnosis needs.
 * @param body at most 64 KiB
 * @param secrets the active secrets
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

/** The minimal evidence of a body, which costs one hash. */
export function measureBody(body: Uint8Array): BodyEvidence {
  const sha256 = sha256Hex(body);
  return { lengthBytes: body.length, sha256, variants: null, signedForm: null };
}

/** The string that the service builds for a request. */
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
