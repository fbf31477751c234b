import { type Finding, findingOf } from './causes.ts';
import { type KnownSecret, type Maker, rightMakers, wrongMakers } from './keys.ts';
import { readSignature } from './read-signature.ts';
import { readTimestamp } from './read-timestamp.ts';
import { type Candidate, candidateStrings } from './strings.ts';
import { ourString, type RawForm, type SuspectRequest } from './suspect.ts';

/** The credential that a request names. */
export interface KnownCredential {
  apiKey: string;
  isRevoked: boolean;
  /** The secrets of this credential, and of the same partner's other credentials. */
  secrets: readonly KnownSecret[];
}

export interface Diagnosis {
  /** The problems, most informative first; never empty. */
  findings: Finding[];
  /** The string that the service builds. */
  ours: string;
  /** The string that was signed; null if it could not be determined. */
  theirs: string | null;
}

/** A string and a way to compute a digest of it that together give the received digest. */
interface Match {
  text: string;
  findings: readonly Finding[];
}

const rawFindings: Record<RawForm, () => Finding> = {
  BODY_ALONE: () => findingOf('BODY_ALONE_SIGNED'),
  TIMESTAMP_AND_BODY: () =>
    findingOf('BODY_ALONE_SIGNED', 'with the timestamp and a dot before it'),
  BODY_AS_LINE_5: () => findingOf('BODY_NOT_HASHED', 'it is the body'),
};

/** Maximum time between the timestamps in the string and in the header; an attempt takes no longer. */
const apartSeconds = 300;

/**
 * Explains why a signature was refused: it tries every usual mistake, alone and in pairs, until one
 * gives the received digest, so what it reports as signed is certain. It takes tens of
 * milliseconds, and reveals nothing that makes a signature: neither a secret nor the correct
 * digest.
 * @param request as received
 * @returns null if the signature is correct
 */
export function diagnose(request: SuspectRequest, known: KnownCredential): Diagnosis | null {
  const ours = ourString(request);
  const headers = headerFindings(request, known);
  const { signature, timestamp } = request;
  if (signature === '' || timestamp === '' || holdsSecret(signature)) {
    return { findings: headers, ours, theirs: null };
  }
  const { digest, findings: form } = readSignature(signature);
  const time = readTimestamp(timestamp, request.receivedAtSeconds);
  const match = digest && findMatch(request, known, digest);
  // If the header is wrong, a different signed timestamp adds no information.
  const signed = match?.findings.filter(({ line }) => line !== 4 || time === null) ?? [];
  const certain = [...headers, ...signed, ...(time ? [time] : []), ...form];
  if (match && certain.length === 0) return null;
  const isOpen = digest !== null && !match;
  const findings = isOpen ? [...certain, unexplained(request)] : certain;
  return { findings, ours, theirs: match?.text ?? null };
}

function headerFindings({ key, timestamp, signature }: SuspectRequest, known: KnownCredential) {
  const findings: Finding[] = [];
  const missing = Object.entries({ key, timestamp, signature }).filter(([, value]) => value === '');
  for (const [name] of missing) findings.push(findingOf('HEADER_MISSING', `the ${name}`));
  if (key !== '' && key !== known.apiKey) {
    const isSecret = holdsSecret(key) || known.secrets.some(({ secret }) => secret === key);
    findings.push(findingOf(isSecret ? 'KEY_AND_SECRET_SWAPPED' : 'UNKNOWN_KEY'));
  }
  if (holdsSecret(timestamp) || holdsSecret(signature)) findings.push(findingOf('SECRET_SENT'));
  if (known.isRevoked) findings.push(findingOf('CREDENTIAL_REVOKED'));
  return findings;
}

const holdsSecret = (header: string): boolean => header.includes('sk_');

function findMatch(request: SuspectRequest, known: KnownCredential, digest: Buffer): Match | null {
  const right = rightMakers(known.secrets);
  const { signedForm } = request.body;
  return (
    matching(candidateStrings(request, 2), right, digest) ??
    matching(candidateStrings(request, 1), wrongMakers(known.secrets, known.apiKey), digest) ??
    (signedForm && { text: ourString(request), findings: [rawFindings[signedForm]()] }) ??
    matching(otherTimes(request), right, digest)
  );
}

function matching(
  candidates: Iterable<Candidate>,
  makers: readonly Maker[],
  digest: Buffer,
): Match | null {
  for (const { text, findings } of candidates) {
    for (const maker of makers) {
      if (maker.digest(text).equals(digest)) {
        return { text, findings: [...maker.findings, ...findings] };
      }
    }
  }
  return null;
}

/** Our string with every other timestamp from within `apartSeconds`. */
function* otherTimes(request: SuspectRequest): Generator<Candidate> {
  const sent = Number(request.timestamp.slice(0, 10));
  if (!/^\d{10,20}$/.test(request.timestamp)) return;
  const at = (timestamp: number, finding: Finding): Candidate => ({
    text: ourString({ ...request, timestamp: String(timestamp) }),
    findings: [finding],
  });
  const milliseconds = findingOf('MILLISECONDS_SIGNED');
  for (let ms = 0; ms < 1_000; ms++) yield at(sent * 1_000 + ms, milliseconds);
  for (let apart = 1; apart <= apartSeconds; apart++) {
    const detail = `${apart} s apart`;
    yield at(sent + apart, findingOf('OTHER_TIMESTAMP', detail));
    yield at(sent - apart, findingOf('OTHER_TIMESTAMP', detail));
  }
}

/** The digest does not match anything that was tried. */
function unexplained({ method, body }: SuspectRequest): Finding {
  const isWithoutBody = body.lengthBytes === 0 && method.toUpperCase() !== 'GET';
  return findingOf(isWithoutBody ? 'BODY_NOT_SENT' : 'UNKNOWN');
}
