import { sha256Hex } from '../signature.ts';
import { diagnosePasted } from './compare-pasted.ts';
import { type Diagnosis, diagnose, type KnownCredential } from './diagnose.ts';
import { compareLines, type LineComparison } from './lines.ts';
import { type BodyEvidence, examineBody, ourString, type SuspectRequest } from './suspect.ts';

/** What a user knows about a refused request, or about one that is not sent yet. */
export interface GivenRequest {
  method: string;
  /** The path as sent, with its query if it has one. */
  path: string;
  /** The exact bytes; without them, line 5 is not compared. */
  body?: Uint8Array | undefined;
  /** The headers as sent, if known. */
  key?: string | undefined;
  timestamp?: string | undefined;
  signature?: string | undefined;
  /** The signed string, if known. */
  canonical?: string | undefined;
  /** The host that it is sent to; null if unknown. */
  host: string | null;
}

export interface Examined {
  request: SuspectRequest;
  /** Null if nothing is wrong, or nothing can be compared. */
  diagnosis: Diagnosis | null;
  /** The service's string and theirs, line by line. */
  lines: LineComparison[];
}

/**
 * Builds the canonical string as the service does, and compares it with what the user signed and
 * sent.
 */
export function diagnoseGiven(
  given: GivenRequest,
  known: KnownCredential,
  nowSeconds: number,
): Examined {
  const { method, canonical, signature = '', key = known.apiKey, host } = given;
  const [pathname = '', query = null] = given.path.split(/\?(.*)/s);
  const timestamp = given.timestamp ?? timestampIn(canonical) ?? String(Math.floor(nowSeconds));
  const head = { method, pathname, timestamp, signature };
  const request: SuspectRequest = {
    ...head,
    query,
    host,
    key,
    body: bodyOf(given, head, known),
    // The time of sending is unknown, so only the service can detect a wrong clock.
    receivedAtSeconds: /^\d{10}$/.test(timestamp) ? Number(timestamp) : nowSeconds,
  };
  const diagnosis = diagnosisOf(request, known, canonical);
  const lines = compareLines(ourString(request), diagnosis?.theirs ?? canonical ?? null);
  return { request, diagnosis, lines };
}

function bodyOf(
  { body, canonical }: GivenRequest,
  head: Parameters<typeof examineBody>[0],
  { secrets }: KnownCredential,
): BodyEvidence {
  if (body === undefined) {
    const sha256 = /^[0-9a-f]{64}$/m.exec(canonical ?? '')?.[0] ?? sha256Hex('');
    const lengthBytes = canonical === undefined ? 0 : null;
    return { lengthBytes, sha256, variants: null, signedForm: null };
  }
  const active = secrets.flatMap(({ secret, whose }) => (whose === 'ACTIVE' ? [secret] : []));
  return examineBody(head, body, active);
}

function diagnosisOf(
  request: SuspectRequest,
  known: KnownCredential,
  canonical: string | undefined,
): Diagnosis | null {
  if (canonical === undefined) return request.signature === '' ? null : diagnose(request, known);
  const asGiven = diagnosePasted(request, known, canonical);
  // Editors add a line break at the end, which was not signed; the signature shows it.
  const trimmed = canonical.replace(/\r?\n$/, '');
  if (request.signature === '' || trimmed === canonical || !isUnknown(asGiven)) return asGiven;
  const ofTrimmed = diagnosePasted(request, known, trimmed);
  return isUnknown(ofTrimmed) ? asGiven : ofTrimmed;
}

const isUnknown = (diagnosis: Diagnosis | null): boolean =>
  diagnosis?.findings.some(({ cause }) => cause === 'SECRET_UNKNOWN') ?? false;

/** The signed timestamp is usually the one that was sent. */
function timestampIn(canonical: string | undefined): string | undefined {
  return /^\d{1,20}$/m.exec(canonical ?? '')?.[0];
}
