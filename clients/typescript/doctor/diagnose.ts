import { defaultToleranceSeconds, isTimestampFresh } from '../signature.ts';
import { type Finding, findingOf } from './causes.ts';
import {
  type Candidate,
  candidateStrings,
  digestOf,
  type KnownSecret,
  rightSigners,
  type Signer,
  wrongSigners,
} from './mistakes.ts';
import { ourString, type SuspectRequest } from './request.ts';

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

/**
 * Explains why a signature was refused: it tries the usual mistakes until one gives the received digest, so what
 * it reports as signed is certain. It takes tens of milliseconds, and reveals nothing that makes a signature:
 * neither a secret nor the correct digest.
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
  const time = timestampFinding(timestamp, request.receivedAtSeconds);
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
  const missing = Object.entries({ key, timestamp, signature })
    .filter(([, value]) => value === '')
    .map(([name]) => findingOf('HEADER_MISSING', `The ${name} header is missing or too long.`));
  return [
    ...missing,
    ...([key, timestamp, signature].some(holdsSecret)
      ? [findingOf('SECRET_SENT', 'A header holds a signing secret.')]
      : []),
    ...(known.isRevoked
      ? [
          findingOf(
            'CREDENTIAL_REVOKED',
            'The API key was revoked or has expired: no signature of it is accepted.',
          ),
        ]
      : []),
  ];
}

const holdsSecret = (header: string): boolean => header.includes('sk_');

/** Parses a signature header leniently, and reports what a strict parser refuses. */
export function readSignature(header: string): { digest: Buffer | null; findings: Finding[] } {
  const value = header.replace(/^sha256=/, '');
  const wrong = (what: string) => findingOf('SIGNATURE_FORM', what);
  const prefix =
    value === header
      ? [wrong('The signature header does not begin with sha256= in lower case.')]
      : [];
  if (/^[0-9a-f]{64}$/i.test(value)) {
    const isLower = value === value.toLowerCase();
    const digits = isLower ? [] : [wrong('The digits of the signature are in upper case.')];
    return { digest: Buffer.from(value, 'hex'), findings: [...prefix, ...digits] };
  }
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(value)) {
    const findings = [...prefix, wrong('The signature is in base64.')];
    return { digest: Buffer.from(value, 'base64'), findings };
  }
  const what = 'The signature header is not sha256= and 64 lower-case hex digits.';
  return { digest: null, findings: [wrong(what)] };
}

/** What is wrong with a timestamp header. @returns null if it is accepted */
function timestampFinding(timestamp: string, nowSeconds: number): Finding | null {
  if (isTimestampFresh({ timestamp, nowSeconds })) return null;
  if (!/^\d+$/.test(timestamp)) {
    return findingOf('TIMESTAMP', 'The timestamp is not a whole number in decimal digits.');
  }
  if (timestamp.length > 12) {
    const what = `The timestamp is not in seconds: it has ${timestamp.length} digits, as milliseconds have 13.`;
    return findingOf('TIMESTAMP', what);
  }
  const skew = Number(timestamp) - nowSeconds;
  const apart = `${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} our clock`;
  return findingOf('CLOCK', `The timestamp is ${apart}; ${defaultToleranceSeconds} s are allowed.`);
}

function findMatch(
  request: SuspectRequest,
  { secrets, apiKey }: KnownCredential,
  digest: Buffer,
): Candidate | null {
  const right = rightSigners(secrets);
  const candidates = candidateStrings(request);
  return (
    matching(candidates, right, digest) ??
    matching(candidates, wrongSigners(secrets, apiKey), digest) ??
    matching(otherTimes(request), right, digest)
  );
}

function matching(
  candidates: Iterable<Candidate>,
  signers: readonly Signer[],
  digest: Buffer,
): Candidate | null {
  for (const { text, findings } of candidates) {
    const signer = signers.find((one) => digestOf(one, text).equals(digest));
    if (signer) return { text, findings: [...signer.findings, ...findings] };
  }
  return null;
}

/** Maximum time between the timestamps in the string and in the header; an attempt takes no longer. */
const apartSeconds = 300;

/** Our string with every other timestamp from within `apartSeconds`, and with any milliseconds. */
function* otherTimes(request: SuspectRequest): Generator<Candidate> {
  if (!/^\d{10}$/.test(request.timestamp)) return;
  const sent = Number(request.timestamp);
  const at = (timestamp: number, what: string): Candidate => ({
    text: ourString({ ...request, timestamp: String(timestamp) }),
    findings: [findingOf('TIMESTAMP', what)],
  });
  for (let ms = 0; ms < 1_000; ms++) {
    yield at(sent * 1_000 + ms, 'Milliseconds were signed, and seconds sent.');
  }
  for (let apart = 1; apart <= apartSeconds; apart++) {
    const what = `The signed and the sent timestamp are ${apart} s apart.`;
    yield at(sent + apart, what);
    yield at(sent - apart, what);
  }
}

/** The digest does not match anything that was tried. */
const unexplained = ({ method, body }: SuspectRequest): Finding =>
  body.lengthBytes === 0 && method.toUpperCase() !== 'GET'
    ? findingOf('BODY', 'The request arrived without a body.')
    : findingOf(
        'UNKNOWN',
        'Most likely the secret is wrong: the signature matches none of your secrets, and none of the usual mistakes.',
      );
