import { canonicalStringOfHash, sha256Hex } from '../signature.ts';

/** A received request whose signature is to be diagnosed, with evidence instead of its body. */
export interface SuspectRequest {
  method: string;
  /** The path as sent, without the query. */
  pathname: string;
  /** The part after the question mark; null without one. */
  query: string | null;
  /** The Host header; null if unknown. */
  host: string | null;
  /** Beginnings of the path that something on the way removed, as far as is known, such as `/rewards`. */
  removed?: readonly string[] | undefined;
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
  /** The hashes of the body as it may have been signed, in lower-case hex; null if they were not computed. */
  variants: VariantHashes | null;
}

export type VariantHashes = Partial<Record<keyof typeof bodyVariants, string>>;

/** What clients do to a body between hashing and sending it. Each changes a text, or a JSON value. */
export const bodyVariants = {
  plusNewline: ['with a line break at its end', (text) => `${text}\n`],
  trimmed: ['without the white space around it', (text) => text.trim()],
  lf: ['with LF for each line break', (text) => text.replaceAll('\r\n', '\n')],
  crlf: ['with CR LF for each line break', (text) => text.replace(/\r?\n/g, '\r\n')],
  compact: ['without blanks', (text) => JSON.stringify(JSON.parse(text))],
  pretty: ['indented by two blanks', (text) => JSON.stringify(JSON.parse(text), null, 2)],
  python: ['as Python’s json.dumps writes it', (text) => likePython(JSON.parse(text))],
} as const satisfies Record<string, readonly [how: string, make: (text: string) => string]>;

/**
 * Extracts from a body what a diagnosis needs. A short body can be guessed from its variants' hashes, as
 * from its own.
 * @param body at most 64 KiB
 */
export function examineBody(body: Uint8Array): BodyEvidence {
  const measured = measureBody(body);
  const text = Buffer.from(body).toString('utf8');
  const seen = new Set([measured.sha256]);
  const variants: VariantHashes = {};
  for (const [name, [, make]] of Object.entries(bodyVariants)) {
    const hash = hashOf(() => make(text));
    if (hash !== undefined && !seen.has(hash)) variants[name as keyof VariantHashes] = hash;
    if (hash !== undefined) seen.add(hash);
  }
  return { ...measured, variants };
}

/** The minimal evidence of a body, which costs one hash. */
export function measureBody(body: Uint8Array): BodyEvidence {
  return { lengthBytes: body.length, sha256: sha256Hex(body), variants: null };
}

/** The string that the service builds for a request. */
export function ourString(
  request: Pick<SuspectRequest, 'method' | 'pathname' | 'timestamp' | 'body'>,
): string {
  return canonicalStringOfHash({ ...request, bodySha256: request.body.sha256 });
}

/** @returns undefined for a body that is not JSON, or is nested too deeply; the service accepts no such body */
function hashOf(make: () => string): string | undefined {
  try {
    return sha256Hex(make());
  } catch {
    return undefined;
  }
}

/** A blank after each comma and colon, and ASCII alone. A line break within a text is escaped already. */
function likePython(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .replace(/,\n */g, ', ')
    .replace(/\n */g, '')
    .replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}
