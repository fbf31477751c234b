import { sha256Hex } from '../signature.ts';
import { diagnosePasted } from './compare-pasted.ts';
import { type Diagnosis, diagnose, type KnownCredential } from './diagnose.ts';
import { compareLines, type LineComparison } from './lines.ts';
import { type BodyEvidence, examineBody, ourString, type SuspectRequest } from './suspect.ts';

/** What somebody tells of a request that was refused, or is still to be sent. */
export interface GivenRequest {
  method: string;
  /** As it is sent, with its query if it has one. */
  path: string;
  /** The exact bytes; without them line 5 is compared with nothing. */
  body?: Uint8Array | undefined;
  /** The headers as they were sent, where they are known. */
  key?: string | undefined;
  timestamp?: string | undefined;
  signature?: string | undefined;
  /** The string that was signed, where it is known. */
  canonical?: string | undefined;
  /** Where it is sent, where that is known. */
  host: string | null;
}

export interface Examined {
  request: SuspectRequest;
  /** Null where nothing is wrong, or where there is nothing to compare with. */
  diagnosis: Diagnosis | null;
  /** The service's string beside theirs. */
  lines: LineComparison[];
}

/**
 * Builds the canonical string as the service does, and holds against it what somebody says to have
 * signed and sent.
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
    ...{ query, host, key },
    body: bodyOf(given, head, known),
    // When it was sent is not known: what is wrong with a clock only the service can tell.
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
  // Editors end a text with a line break that nobody signed; the signature tells.
  const trimmed = canonical.replace(/\r?\n$/, '');
  if (request.signature === '' || trimmed === canonical || !isUnknown(asGiven)) return asGiven;
  const ofTrimmed = diagnosePasted(request, known, trimmed);
  return isUnknown(ofTrimmed) ? asGiven : ofTrimmed;
}

const isUnknown = (diagnosis: Diagnosis | null): boolean =>
  diagnosis?.findings.some(({ cause }) => cause === 'SECRET_UNKNOWN') ?? false;

/** The timestamp that was signed was most often sent too. */
function timestampIn(canonical: string | undefined): string | undefined {
  return /^\d{1,20}$/m.exec(canonical ?? '')?.[0];
}
