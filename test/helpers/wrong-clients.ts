import { createHash, createHmac } from 'node:crypto';
import type { Cause } from '../../clients/typescript/doctor/index.ts';

/** A partner's own client, each step of which a test can replace with a wrong one. */
export interface Client {
  method: string;
  /** The path that is sent, including the query. */
  path: string;
  /** The path that is signed. */
  signedPath: string;
  /** The timestamp that is sent. */
  timestamp: string;
  signedTimestamp: string;
  /** The body that is hashed. */
  body: string;
  sentBody: string | Buffer;
  key: string;
  secret: string;
  hash(body: string): string;
  /** Joins the five lines of the signed string. */
  join(lines: string[]): string;
  mac(secret: string, text: string): Buffer;
  /** The value of the signature header. */
  header(digest: Buffer): string;
}

export const sha256 = (text: string | Buffer): Buffer => createHash('sha256').update(text).digest();
export const hmac = (key: string | Buffer, text: string, algorithm = 'sha256'): Buffer =>
  createHmac(algorithm, key).update(text).digest();

/** A correct client, which follows docs/contract.md and uses no code of our client. */
export function rightClient(of: {
  key: string;
  secret: string;
  body: string;
  nowSeconds: number;
  method?: string;
  path?: string;
}): Client {
  const { key, secret, body, method = 'POST', path = '/api/v1/partner/purchases' } = of;
  const timestamp = String(Math.floor(of.nowSeconds));
  return {
    method,
    path,
    signedPath: path,
    timestamp,
    signedTimestamp: timestamp,
    body,
    sentBody: body,
    key,
    secret,
    hash: (text) => sha256(text).toString('hex'),
    join: (lines) => lines.join('\n'),
    mac: hmac,
    header: (digest) => `sha256=${digest.toString('hex')}`,
  };
}

/** The signature header of a client, and the string that it signs. */
export function signatureOf(client: Client): { signature: string; text: string } {
  const { method, signedPath, signedTimestamp, body, secret } = client;
  const text = client.join(['v1', method, signedPath, signedTimestamp, client.hash(body)]);
  return { signature: client.header(client.mac(secret, text)), text };
}

/** Secrets that a developer could confuse with the right one. */
export interface OtherSecrets {
  rotated: string;
  otherMode: string;
  otherCredential: string;
}

type Mistake = (right: Client, others: OtherSecrets) => Partial<Client>;

const bare = (secret: string): string => secret.replace(/^sk_/, '');
const onLine =
  (line: number, change: (text: string) => string): Mistake =>
  (right) => ({ join: (lines) => right.join(lines.with(line - 1, change(lines[line - 1] ?? ''))) });
const withSecret =
  (change: (secret: string) => string | Buffer): Mistake =>
  () => ({ mac: (secret, text) => hmac(change(secret), text) });
const withTimestamp =
  (change: (seconds: number) => string): Mistake =>
  ({ timestamp }) => {
    const changed = change(Number(timestamp));
    return { timestamp: changed, signedTimestamp: changed };
  };
const withSentBody =
  (change: (body: string) => string | Buffer): Mistake =>
  ({ body }) => ({ sentBody: change(body) });
const reserialized = (write: (value: never) => string): Mistake =>
  withSentBody((body) => write(JSON.parse(body) as never));
const withHeader =
  (header: Client['header']): Mistake =>
  () => ({ header });

/**
 * Typical mistakes of developers by cause; none for causes that cannot occur with a known key.
 */
export const mistakes: Record<Cause, Record<string, Mistake>> = {
  HEADER_MISSING: { 'no signature': withHeader(() => '') },
  KEY_AND_SECRET_SWAPPED: {},
  SECRET_SENT: {
    'the secret in place of the signature': ({ secret }) => ({ header: () => secret }),
  },
  UNKNOWN_KEY: {},
  CREDENTIAL_REVOKED: {},
  OTHER_MODE_SECRET: { 'the LIVE secret': (_right, { otherMode: secret }) => ({ secret }) },
  ROTATED_SECRET: { 'a revoked secret': (_right, { rotated: secret }) => ({ secret }) },
  OTHER_CREDENTIAL_SECRET: {
    'the secret of another key': (_right, { otherCredential: secret }) => ({ secret }),
  },
  KEY_AS_SECRET: { 'the key in place of the secret': ({ key: secret }) => ({ secret }) },
  SECRET_WHITESPACE: {
    'a line break read with the secret': withSecret((secret) => `${secret}\n`),
    'a space before it': withSecret((secret) => ` ${secret}`),
  },
  SECRET_QUOTED: { 'quotes from an .env file': withSecret((secret) => `"${secret}"`) },
  SECRET_DECODED: {
    'decoded from base64': withSecret((secret) => Buffer.from(secret, 'base64')),
    'decoded after its prefix': withSecret((secret) => Buffer.from(bare(secret), 'base64url')),
  },
  SECRET_CUT: {
    'without its prefix': withSecret((secret) => bare(secret)),
    'without its last character': withSecret((secret) => secret.slice(0, -1)),
  },
  SECRET_CHANGED: { 'hashed first': withSecret((secret) => sha256(secret)) },
  ARGUMENTS_SWAPPED: {
    'key and message swapped': () => ({ mac: (secret, text) => hmac(text, secret) }),
  },
  NOT_HMAC: { 'a hash of both': () => ({ mac: (secret, text) => sha256(secret + text) }) },
  VERSION_LINE: {
    'no version': () => ({ join: (lines) => lines.slice(1).join('\n') }),
    V1: onLine(1, () => 'V1'),
  },
  METHOD_CASE: { 'lower case': onLine(2, (method) => method.toLowerCase()) },
  OTHER_METHOD: { 'PUT for POST': onLine(2, () => 'PUT') },
  QUERY_IN_PATH: {
    'the query with the path': ({ path }) => ({ path: `${path}?a=b`, signedPath: `${path}?a=b` }),
  },
  FULL_URL: { 'a full URL': ({ path }) => ({ signedPath: `http://shop.example${path}` }) },
  TRAILING_SLASH: {
    'signed with a slash': onLine(3, (path) => `${path}/`),
    'sent with a slash': ({ path }) => ({ path: `${path}/` }),
  },
  PATH_CUT: {
    'the path below the version': onLine(3, () => '/partner/purchases'),
    'only the last part': onLine(3, () => 'purchases'),
  },
  PATH_CASE: {
    'sent in another case': ({ path }) => ({ path: path.replace('partner', 'Partner') }),
  },
  PATH_ENCODING: { 'slashes encoded': onLine(3, encodeURIComponent) },
  OTHER_PATH: { 'the path of refunds': onLine(3, () => '/api/v1/partner/refunds') },
  MILLISECONDS: {
    'Date.now()': withTimestamp((seconds) => `${seconds}123`),
    microseconds: withTimestamp((seconds) => `${seconds}123456`),
    'only sent': ({ timestamp }) => ({ timestamp: `${timestamp}000` }),
  },
  TIMESTAMP_FORM: {
    'a fraction': withTimestamp((seconds) => `${seconds}.5`),
    'a date': withTimestamp((seconds) => new Date(seconds * 1_000).toISOString()),
  },
  MILLISECONDS_SIGNED: {
    'milliseconds only in the string': ({ timestamp }) => ({ signedTimestamp: `${timestamp}417` }),
  },
  OTHER_TIMESTAMP: {
    'the clock read twice': ({ timestamp }) => ({ signedTimestamp: String(Number(timestamp) - 1) }),
    'a date in the string': ({ timestamp }) => ({
      signedTimestamp: new Date(Number(timestamp) * 1_000).toISOString(),
    }),
  },
  TIME_ZONE: { 'local time': withTimestamp((seconds) => String(seconds + 7_200)) },
  CLOCK_SKEW: {
    'a slow clock': withTimestamp((seconds) => String(seconds - 1_000)),
    'a request from last week': withTimestamp((seconds) => String(seconds - 604_800)),
  },
  BODY_RE_SERIALIZED: {
    'sent with whitespace': reserialized((value) => JSON.stringify(value, null, 2)),
    'hashed as written by Python': ({ body, hash }) => ({
      hash: () => hash(body.replace(/(?<=["\]}\dle])[:,](?=["[{\dtn])/g, '$& ')),
    }),
    'hashed with its fields sorted': ({ body, hash }) => ({
      hash: () => hash(JSON.stringify(JSON.parse(body, sortedFields))),
    }),
    'hashed as written by PHP': ({ body, hash }) => ({
      hash: () => hash(body.replaceAll('ü', '\\u00fc').replaceAll('/', '\\/')),
    }),
    'hashed as written by Go': ({ body, hash }) => ({
      hash: () => hash(body.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')),
    }),
    'hashed as a JSON string': ({ body, hash }) => ({ hash: () => hash(JSON.stringify(body)) }),
  },
  BODY_LINE_END: {
    'echo instead of printf': ({ hash }) => ({ hash: (body) => hash(`${body}\n`) }),
    'a line break sent but not signed': withSentBody((body) => `${body}\n`),
  },
  BODY_ENCODING: {
    'Latin-1 hashed': () => ({
      hash: (body) => sha256(Buffer.from(body, 'latin1')).toString('hex'),
    }),
    'Latin-1 sent': withSentBody((body) => Buffer.from(body, 'latin1')),
    'a byte order mark sent': withSentBody((body) => `\ufeff${body}`),
    'UTF-8 encoded twice': withSentBody((body) =>
      Buffer.from(Buffer.from(body).toString('latin1'), 'utf8'),
    ),
  },
  BODY_LEFT_OUT: { 'nothing hashed': ({ hash }) => ({ hash: () => hash('') }) },
  BODY_NOT_SENT: {
    'hashed but not sent': withSentBody(() => ''),
    '{} hashed but not sent': ({ hash }) => ({ hash: () => hash('{}'), sentBody: '' }),
  },
  BODY_HASH_FORM: {
    'hash in capitals': ({ hash }) => ({ hash: (body) => hash(body).toUpperCase() }),
    'hash in base64': () => ({ hash: (body) => sha256(body).toString('base64') }),
  },
  BODY_NOT_HASHED: {
    'the body as the last line': () => ({ hash: (body) => body }),
    'an empty last line': () => ({ hash: () => '' }),
  },
  OTHER_BODY: { 'an empty object hashed': ({ hash }) => ({ hash: () => hash('{}') }) },
  BODY_ALONE_SIGNED: {
    'the body signed': ({ body }) => ({ join: () => body }),
    'timestamp, dot, body': ({ body, timestamp }) => ({ join: () => `${timestamp}.${body}` }),
  },
  TRAILING_NEWLINE: {
    'a line break at the end': () => ({ join: (lines) => `${lines.join('\n')}\n` }),
  },
  LINE_SEPARATOR: {
    'CR LF': () => ({ join: (lines) => lines.join('\r\n') }),
    'a backslash and an n': () => ({ join: (lines) => lines.join('\\n') }),
    nothing: () => ({ join: (lines) => lines.join('') }),
  },
  PREFIX_MISSING: { 'only the digits': withHeader((digest) => digest.toString('hex')) },
  UPPERCASE_HEX: {
    capitals: withHeader((digest) => `sha256=${digest.toString('hex').toUpperCase()}`),
  },
  BASE64: { base64: withHeader((digest) => `sha256=${digest.toString('base64')}`) },
  OTHER_ALGORITHM: {
    'SHA-1': () => ({ mac: (secret, text) => hmac(secret, text, 'sha1') }),
    'SHA-512': () => ({ mac: (secret, text) => hmac(secret, text, 'sha512') }),
  },
  SIGNATURE_FORM: {
    quotes: withHeader((digest) => `"sha256=${digest.toString('hex')}"`),
    cut: withHeader((digest) => `sha256=${digest.toString('hex').slice(0, 60)}`),
  },
  SECRET_UNKNOWN: {},
  UNKNOWN: { 'an unknown secret': () => ({ secret: 'sk_test_of_nobody' }) },
};

function sortedFields(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
