import { type Finding, findingOf } from './causes.ts';

const digestBytes = 32;

/** The content of a signature header. */
export interface ReadSignature {
  /** The SHA-256 digest in it, in any encoding; null if there is none. */
  digest: Buffer | null;
  /** The problems of its format. */
  findings: Finding[];
}

/** Parses a signature header leniently, and reports what a strict parser refuses. */
export function readSignature(header: string): ReadSignature {
  const findings: Finding[] = [];
  const bare = header.trim().replace(/^["'](.*)["']$/, '$1');
  if (bare !== header)
    findings.push(findingOf('SIGNATURE_FORM', 'it has quotes or blanks around it'));
  const text = bare.replace(/^sha256=/, '');
  const isPrefixed = text !== bare;
  const value = isPrefixed ? text : bare.replace(/^(?:hmac-?)?sha-?256\s*[=:]\s*|^v1=/i, '').trim();
  if (!isPrefixed) {
    const detail = value === bare ? 'it is missing' : `it begins with ${bare.slice(0, 16)}`;
    findings.push(findingOf('PREFIX_MISSING', detail));
  }
  const read = readDigest(value);
  return { digest: read.digest, findings: [...findings, ...read.findings] };
}

function readDigest(value: string): ReadSignature {
  if (/^[0-9a-f]{64}$/.test(value)) return { digest: Buffer.from(value, 'hex'), findings: [] };
  if (/^[0-9a-f]{64}$/i.test(value)) {
    return { digest: Buffer.from(value, 'hex'), findings: [findingOf('UPPERCASE_HEX')] };
  }
  const algorithm = { 32: 'MD5', 40: 'SHA-1', 96: 'SHA-384', 128: 'SHA-512' }[value.length];
  if (algorithm && /^[0-9a-f]+$/i.test(value)) {
    return { digest: null, findings: [findingOf('OTHER_ALGORITHM', algorithm)] };
  }
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) {
    const bytes = Buffer.from(value, 'base64');
    if (bytes.length === digestBytes) return { digest: bytes, findings: [findingOf('BASE64')] };
    const inner = bytes.toString('latin1');
    if (/^[0-9a-f]{64}$/.test(inner)) {
      const detail = 'and what is in it is hex already';
      return { digest: Buffer.from(inner, 'hex'), findings: [findingOf('BASE64', detail)] };
    }
  }
  const detail = value === '' ? 'no digest follows' : `${value.length} characters follow`;
  return { digest: null, findings: [findingOf('SIGNATURE_FORM', detail)] };
}
