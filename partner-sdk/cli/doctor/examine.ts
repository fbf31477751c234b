import {
  compareLines,
  type Diagnosis,
  diagnose,
  diagnosePasted,
  examineBody,
  type KnownCredential,
  type LineComparison,
  ourString,
  type SuspectRequest,
} from '../../doctor/index.ts';
import { sign } from '../../signature.ts';
import type { Credential } from '../credentials.ts';

/** What a partner gives of a request that was refused, or that is still to be sent. */
export interface DoctorOptions {
  method: string;
  /** As it is sent, with its query if it has one. */
  path: string;
  body: Uint8Array;
  /** The headers as they were sent, where they are known. */
  timestamp?: string | undefined;
  signature?: string | undefined;
  /** The string that was signed, where it is known. */
  canonical?: string | undefined;
  oldSecret?: string | undefined;
  /** The host that it is sent to. */
  host: string | null;
}

export interface DoctorReport {
  request: SuspectRequest;
  /** Null where there is nothing to compare with, or nothing wrong. */
  diagnosis: Diagnosis | null;
  lines: LineComparison[];
  /** The header's right value: whoever runs this has the secret. */
  rightSignature: string;
}

/**
 * Builds the canonical string as the service does and holds against it what was signed.
 * @param otherSecret of the credential's other mode, where there is one at hand
 */
export function examineRequest(
  options: DoctorOptions,
  { key, secret }: Credential,
  otherSecret: string | undefined,
  nowSeconds: number,
): DoctorReport {
  const { method, body, signature = '', canonical, oldSecret, host } = options;
  const [pathname = '', query = null] = options.path.split(/\?(.*)/s);
  const timestamp = options.timestamp ?? timestampIn(canonical) ?? String(Math.floor(nowSeconds));
  const head = { method, pathname, timestamp, signature };
  const request: SuspectRequest = {
    ...head,
    ...{ query, host, key },
    body: examineBody(head, body, [secret]),
    // When it was sent is not known: what is wrong with a clock only the service can tell.
    receivedAtSeconds: /^\d{10}$/.test(timestamp) ? Number(timestamp) : nowSeconds,
  };
  const known = knownCredential(key, secret, { REVOKED: oldSecret, OTHER_MODE: otherSecret });
  const diagnosis = diagnosisOf(request, known, canonical);
  return {
    request,
    diagnosis,
    lines: compareLines(ourString(request), diagnosis?.theirs ?? canonical ?? null),
    rightSignature: sign({ secret, method, pathname, timestamp, body }),
  };
}

function diagnosisOf(
  request: SuspectRequest,
  known: KnownCredential,
  canonical: string | undefined,
): Diagnosis | null {
  if (canonical === undefined) return request.signature === '' ? null : diagnose(request, known);
  const asGiven = diagnosePasted(request, known, canonical);
  // Editors end a file with a line break that nobody signed; the signature tells.
  const trimmed = canonical.replace(/\r?\n$/, '');
  if (request.signature === '' || trimmed === canonical || !isUnknown(asGiven)) return asGiven;
  const ofTrimmed = diagnosePasted(request, known, trimmed);
  return isUnknown(ofTrimmed) ? asGiven : ofTrimmed;
}

const isUnknown = (diagnosis: Diagnosis | null): boolean =>
  diagnosis?.findings.some(({ cause }) => cause === 'SECRET_UNKNOWN') ?? false;

function knownCredential(
  apiKey: string,
  secret: string,
  others: { REVOKED: string | undefined; OTHER_MODE: string | undefined },
): KnownCredential {
  const more = (['REVOKED', 'OTHER_MODE'] as const).flatMap((whose) => {
    const other = others[whose];
    return other === undefined ? [] : [{ secret: other, whose, name: 'the one you gave' }];
  });
  return {
    apiKey,
    isRevoked: false,
    secrets: [{ secret, whose: 'ACTIVE', name: apiKey }, ...more],
  };
}

/** The timestamp that was signed was most often sent too. */
function timestampIn(canonical: string | undefined): string | undefined {
  return /^\d{1,20}$/m.exec(canonical ?? '')?.[0];
}
