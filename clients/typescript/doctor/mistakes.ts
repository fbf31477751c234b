import { createHmac } from 'node:crypto';
import { type Bytes, sha256Hex } from '../signature.ts';
import { type Cause, type Finding, findingOf, lineNames } from './causes.ts';
import { bodyVariants, ourString, type SuspectRequest } from './request.ts';

/** A string that may have been signed, with the mistakes in it; none for ours. */
export interface Candidate {
  text: string;
  findings: readonly Finding[];
}

/** The strings that may have been signed: ours, then those with one usual mistake. */
export function candidateStrings(request: SuspectRequest): Candidate[] {
  const ours = ourString(request);
  const mistakes = mistakesIn(request).map(({ finding, signed }) => ({
    text: signed(ours.split('\n')),
    findings: [finding],
  }));
  return [{ text: ours, findings: [] }, ...mistakes];
}

/** A usual mistake. */
interface Mistake {
  finding: Finding;
  /** @param lines of our string */
  signed(lines: string[]): string;
}

const endpoints = ['purchases', 'refunds', 'plans', 'usage', 'billing'].map(
  (name) => `/api/v1/partner/${name}`,
);
/** What proxies in front of a service often remove. */
const usualPrefixes = ['api', 'v1', 'partner', 'partners', 'gateway', 'proxy', 'staging'].map(
  (one) => `/${one}`,
);

function mistakesIn(request: SuspectRequest): Mistake[] {
  const { method, pathname, query, host, removed = [], timestamp, body } = request;
  const origins = host === null ? [] : [`https://${host}`, `http://${host}`, host];
  const parts = pathname.split('/').slice(1);
  const bare = pathname.replace(/\/$/, '');
  const isEmpty = body.lengthBytes === 0;
  return [
    joined(
      'The string that was signed ends with a line break.',
      (lines) => `${lines.join('\n')}\n`,
    ),
    joined('The five lines are joined by CR LF.', (lines) => lines.join('\r\n')),
    joined('The five lines are joined by CR LF, with one at the end.', (lines) =>
      lines.map((line) => `${line}\r\n`).join(''),
    ),
    joined('The five lines are joined by a backslash and the letter n.', (lines) =>
      lines.join('\\n'),
    ),
    joined('The first line, v1, is missing.', (lines) => lines.slice(1).join('\n')),
    joined('The first line is V1 instead of v1.', (lines) => lines.with(0, 'V1').join('\n')),

    onLine('METHOD', method.toLowerCase(), 'The method is not in upper case.'),
    onLine('METHOD', method === 'GET' ? 'POST' : 'GET', 'Another method was signed than sent.'),

    ...(query === null ? [] : [`${pathname}?${query}`]).map((line) =>
      onLine('PATH', line, 'The query is part of the path that was signed.'),
    ),
    onLine(
      'PATH',
      bare === pathname ? `${pathname}/` : bare,
      'The signed path and the sent path differ by a slash at the end.',
    ),
    ...endpoints
      .filter((other) => other !== pathname)
      .map((other) => onLine('PATH', other, `The path of ${other} was signed.`)),
    ...[...origins, ...new Set([...removed, ...usualPrefixes])].map((prefix) =>
      onLine('PATH_PREFIX', prefix + pathname, addedPrefix(prefix)),
    ),
    ...parts.slice(1).map((_, index) => {
      const [cut, left] = [parts.slice(0, index + 1), parts.slice(index + 1)];
      const what = `The signed path lacks /${cut.join('/')} at its beginning, with which it arrived.`;
      return onLine('PATH_PREFIX', `/${left.join('/')}`, what);
    }),

    onLine('TIMESTAMP', `${timestamp}000`, 'Milliseconds were signed, and seconds sent.'),
    onLine('TIMESTAMP', timestamp.slice(0, 10), 'Seconds were signed, and milliseconds sent.'),

    ...Object.entries(body.variants ?? {}).map(([name, hash]) => {
      const [how] = bodyVariants[name as keyof typeof bodyVariants];
      return onLine(
        'BODY',
        hash,
        `The body was changed after it was hashed: it was signed ${how}.`,
      );
    }),
    ...(isEmpty ? ['{}', 'null', '""'] : []).map((text) =>
      onLine('BODY', sha256Hex(text), `The hash of ${text} was signed, but no body was sent.`),
    ),
    ...(isEmpty ? [] : ['', '{}']).map((text) =>
      onLine('BODY', sha256Hex(text), `The hash of ${text || 'an empty body'} was signed.`),
    ),
    onLine('BODY_HASH', body.sha256.toUpperCase(), 'The body hash is in upper case.'),
    onLine(
      'BODY_HASH',
      Buffer.from(body.sha256, 'hex').toString('base64'),
      'The body hash is in base64.',
    ),
    onLine('BODY_HASH', '', 'The body hash is left out.'),
  ];
}

const joined = (what: string, signed: Mistake['signed']): Mistake => ({
  finding: findingOf('LINES', what),
  signed,
});

function onLine(cause: Cause, text: string, what: string): Mistake {
  const finding = findingOf(cause, what);
  const at = (finding.line ?? 1) - 1;
  return { finding, signed: (lines) => lines.with(at, text).join('\n') };
}

const addedPrefix = (prefix: string): string =>
  `The signed path begins with ${prefix}, without which it arrived.`;

/** @param at the line's place, from 0 */
export function findingOfLine(request: SuspectRequest, at: number, theirs: string): Finding {
  const lines = ourString(request).split('\n');
  const signed = lines.with(at, theirs).join('\n');
  const usual = mistakesIn(request).find((one) => one.signed(lines) === signed);
  if (usual) return usual.finding;
  if (at === 2 && theirs.endsWith(request.pathname)) {
    return findingOf('PATH_PREFIX', addedPrefix(theirs.slice(0, -request.pathname.length)));
  }
  const what = `The ${lineNames[at]} that was signed is not the one that was sent.`;
  return findingOf(causeOfLine[at] ?? 'LINES', what);
}

const causeOfLine = ['LINES', 'METHOD', 'PATH', 'TIMESTAMP', 'BODY'] as const;

/** A secret that a request may have been signed with. */
export interface KnownSecret {
  secret: string;
  whose: 'ACTIVE' | 'REVOKED' | 'OTHER_MODE' | 'OTHER_CREDENTIAL';
  /** Its name for the partner; never the secret itself. */
  name: string;
}

/** A key of the HMAC, with the mistake in it; none for an active secret. */
export interface Signer {
  key: Bytes;
  findings: readonly Finding[];
}

/** @param key the signer's */
export const digestOf = ({ key }: Signer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

export const rightSigners = (secrets: readonly KnownSecret[]): Signer[] =>
  secrets
    .filter(({ whose }) => whose === 'ACTIVE')
    .map(({ secret: key }) => ({ key, findings: [] }));

/** The partner's other secrets, and what becomes of an active one between storage and use. */
export function wrongSigners(secrets: readonly KnownSecret[], apiKey: string): Signer[] {
  return secrets.flatMap(({ secret, whose, name }) =>
    whose === 'ACTIVE'
      ? changedSecrets(secret, apiKey).map(([key, what]) => ({
          key,
          findings: [findingOf('SECRET_CHANGED', what)],
        }))
      : [{ key: secret, findings: [findingOf('OTHER_SECRET', `${strangers[whose]} (${name}).`)] }],
  );
}

const strangers: Record<Exclude<KnownSecret['whose'], 'ACTIVE'>, string> = {
  REVOKED: 'It was signed with a revoked or expired secret of this key',
  OTHER_MODE: 'It was signed with the secret of the other mode',
  OTHER_CREDENTIAL: 'It was signed with the secret of another of your credentials',
};

function changedSecrets(secret: string, apiKey: string): [key: Bytes, what: string][] {
  const bare = secret.replace(/^sk_(?:test_|live_)?/, '');
  const blank = 'The secret it was signed with has white space around it.';
  const quoted = 'The secret it was signed with has quotation marks around it.';
  const decoded = 'The secret was decoded from base64 before it was used.';
  return [
    [apiKey, 'It was signed with the API key instead of the secret.'],
    [`${secret}\n`, blank],
    [`${secret}\r\n`, blank],
    [`${secret} `, blank],
    [` ${secret}`, blank],
    [`"${secret}"`, quoted],
    [`'${secret}'`, quoted],
    [Buffer.from(secret, 'base64'), decoded],
    [Buffer.from(bare, 'base64'), decoded],
    [bare, 'The secret lacks its beginning, sk_….'],
  ];
}
