import { type Cause, type Finding, findingOf, type LineNumber } from './causes.ts';
import { type Diagnosis, diagnose, type KnownCredential } from './diagnose.ts';
import { rightMakers, wrongMakers } from './keys.ts';
import { readSignature } from './read-signature.ts';
import { candidateStrings, slipOfLine } from './strings.ts';
import { ourString, type SuspectRequest } from './suspect.ts';

/** The cause for a different line that no usual mistake explains. */
const otherLine: Record<LineNumber, Cause> = {
  1: 'VERSION_LINE',
  2: 'OTHER_METHOD',
  3: 'OTHER_PATH',
  4: 'OTHER_TIMESTAMP',
  5: 'OTHER_BODY',
};

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
  const ours = ourString(request);
  const { signature } = request;
  const ofRequest = signature === '' ? null : diagnose(request, known);
  if (ofRequest?.theirs === theirs) return ofRequest;
  const findings = [
    ...(signature === '' ? [] : signatureFindings(signature, known, theirs)),
    ...stringFindings(request, theirs),
  ];
  return findings.length === 0 ? ofRequest : { findings, ours, theirs };
}

function stringFindings(request: SuspectRequest, theirs: string): Finding[] {
  const candidate = candidateStrings(request, 2).find(({ text }) => text === theirs);
  if (candidate) return [...candidate.findings];
  const ours = ourString(request).split('\n');
  const theirLines = theirs.replace(/\r?\n$/, '').split(/\r?\n/);
  const findings: Finding[] = [];
  if (theirs.includes('\r'))
    findings.push(findingOf('LINE_SEPARATOR', 'CR LF stands between them'));
  else if (theirs.endsWith('\n')) findings.push(findingOf('TRAILING_NEWLINE'));
  if (theirLines.length !== ours.length) {
    return [...findings, findingOf('LINE_SEPARATOR', `there are ${theirLines.length} lines`)];
  }
  for (const line of [1, 2, 3, 4, 5] as const) {
    const text = theirLines[line - 1] ?? '';
    if (text === ours[line - 1]) continue;
    findings.push(slipOfLine(request, line, text) ?? findingOf(otherLine[line]));
  }
  return findings;
}

function signatureFindings(signature: string, known: KnownCredential, text: string): Finding[] {
  const { digest, findings } = readSignature(signature);
  if (!digest) return findings;
  const makers = [...rightMakers(known.secrets), ...wrongMakers(known.secrets, known.apiKey)];
  const maker = makers.find((one) => one.digest(text).equals(digest));
  return [...(maker?.findings ?? [findingOf('SECRET_UNKNOWN')]), ...findings];
}
