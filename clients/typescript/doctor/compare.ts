import { sha256Hex } from '../signature.ts';
import { type Finding, findingOf } from './causes.ts';
import { type Diagnosis, diagnose, type KnownCredential, readSignature } from './diagnose.ts';
import { compareLines, type LineComparison } from './lines.ts';
import {
  candidateStrings,
  digestOf,
  findingOfLine,
  rightSigners,
  wrongSigners,
} from './mistakes.ts';
import { type BodyEvidence, examineBody, ourString, type SuspectRequest } from './request.ts';

/** What a user knows about a refused request, or about one that is not sent yet. */
export interface GivenRequest {
  method: string;
  /** The path as sent, with its query if it has one. */
  path: string;
  /** The exact bytes; without them, line 5 is not compared. */
  body?: Uint8Array | undefined;
  /** The headers as sent, if known. */
  timestamp?: string | undefined;
  signature?: string | undefined;
  /** The signed string, if known. */
  canonical?: string | undefined;
  /** The host that it is sent to; null if unknown. */
  host: string | null;
  /** Beginnings of the path that a proxy may remove. */
  removed?: readonly string[] | undefined;
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
  const { method, canonical, signature = '', host, removed } = given;
  const [pathname = '', query = null] = given.path.split(/\?(.*)/s);
  const timestamp = given.timestamp ?? timestampIn(canonical) ?? String(Math.floor(nowSeconds));
  const request: SuspectRequest = {
    method,
    pathname,
    query,
    host,
    removed,
    key: known.apiKey,
    timestamp,
    signature,
    body: bodyOf(given),
    // The time of sending is unknown, so only the service can detect a wrong clock.
    receivedAtSeconds: /^\d{10}$/.test(timestamp) ? Number(timestamp) : nowSeconds,
  };
  const diagnosis = diagnosisOf(request, known, canonical);
  const lines = compareLines(ourString(request), diagnosis?.theirs ?? canonical ?? null);
  return { request, diagnosis, lines };
}

/** The signed timestamp is usually the one that was sent. */
const timestampIn = (canonical: string | undefined): string | undefined =>
  /^\d{1,20}$/m.exec(canonical ?? '')?.[0];

function bodyOf({ body, canonical }: GivenRequest): BodyEvidence {
  if (body !== undefined) return examineBody(body);
  const sha256 = /^[0-9a-f]{64}$/m.exec(canonical ?? '')?.[0] ?? sha256Hex('');
  return { lengthBytes: canonical === undefined ? 0 : null, sha256, variants: null };
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
  diagnosis?.findings.some(({ cause }) => cause === 'UNKNOWN') ?? false;

/**
 * Compares the string that a partner signed with ours, line by line, and the signature,
 * if one is given, with that string.
 * @param request its signature is empty if there is none
 * @returns null if both are correct
 */
export function diagnosePasted(
  request: SuspectRequest,
  known: KnownCredential,
  theirs: string,
): Diagnosis | null {
  const { signature } = request;
  const ofRequest = signature === '' ? null : diagnose(request, known);
  if (ofRequest?.theirs === theirs) return ofRequest;
  const findings = [
    ...(signature === '' ? [] : signatureFindings(signature, known, theirs)),
    ...stringFindings(request, theirs),
  ];
  return findings.length === 0 ? ofRequest : { findings, ours: ourString(request), theirs };
}

function signatureFindings(
  signature: string,
  { secrets, apiKey }: KnownCredential,
  text: string,
): Finding[] {
  const { digest, findings } = readSignature(signature);
  if (!digest) return findings;
  const signers = [...rightSigners(secrets), ...wrongSigners(secrets, apiKey)];
  const signer = signers.find((one) => digestOf(one, text).equals(digest));
  const unknown = 'The signature does not match the string you gave under any of your secrets.';
  return [...(signer?.findings ?? [findingOf('UNKNOWN', unknown)]), ...findings];
}

function stringFindings(request: SuspectRequest, theirs: string): Finding[] {
  const candidate = candidateStrings(request).find(({ text }) => text === theirs);
  if (candidate) return [...candidate.findings];
  const lines = theirs.split(/\r?\n/);
  const ours = ourString(request).split('\n');
  if (lines.length !== ours.length || theirs.includes('\r')) {
    const what = `They are ${lines.length} lines, ${theirs.includes('\r') ? 'with CR LF' : 'instead of five'}.`;
    return [findingOf('LINES', what)];
  }
  return lines.flatMap((line, at) => (line === ours[at] ? [] : [findingOfLine(request, at, line)]));
}
