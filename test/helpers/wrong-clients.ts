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

/** A correct client, which follows docs/integrate/requests.md and uses no code of our client. */
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

const bare = (secret: string): string => secret.replace(/^sk_(?:test_|live_)?/, '');
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
const withHeader =
  (header: Client['header']): Mistake =>
  () => ({ header });

/** Typical mistakes of developers by cause; none for causes that other tests produce. */
export const mistakes: Record<Cause, Record<string, Mistake>> = {
  HEADER_MISSING: { 'no signature': withHeader(() => '') },
  SECRET_SENT: {
    'the secret in place of the signature': ({ secret }) => ({ header: () => secret }),
  },
  CREDENTIAL_REVOKED: {},
  OTHER_SECRET: {
    'the LIVE secret': (_right, { otherMode: secret }) => ({ secret }),
    'a revoked secret': (_right, { rotated: secret }) => ({ secret }),
    'the secret of another key': (_right, { otherCredential: secret }) => ({ secret }),
  },
  SECRET_CHANGED: {
    'the key in place of the secret': ({ key: secret }) => ({ secret }),
    'a line break read with the secret': withSecret((secret) => `${secret}\n`),
    'a space before it': withSecret((secret) => ` ${secret}`),
    'quotes from an .env file': withSecret((secret) => `"${secret}"`),
    'decoded from base64': withSecret((secret) => Buffer.from(secret, 'base64')),
    'decoded after its prefix': withSecret((secret) => Buffer.from(bare(secret), 'base64url')),
    'without its prefix': withSecret((secret) => bare(secret)),
  },
  LINES: {
    'no version': () => ({ join: (lines) => lines.slice(1).join('\n') }),
    V1: onLine(1, () => 'V1'),
    'a line break at the end': () => ({ join: (lines) => `${lines.join('\n')}\n` }),
    'CR LF': () => ({ join: (lines) => lines.join('\r\n') }),
    'a backslash and an n': () => ({ join: (lines) => lines.join('\\n') }),
  },
  METHOD: {
    'lower case': onLine(2, (method) => method.toLowerCase()),
    'GET for POST': onLine(2, () => 'GET'),
  },
  PATH: {
    'the query with the path': ({ path }) => ({ path: `${path}?a=b`, signedPath: `${path}?a=b` }),
    'signed with a slash': onLine(3, (path) => `${path}/`),
    'sent with a slash': ({ path }) => ({ path: `${path}/` }),
    'the path of refunds': onLine(3, () => '/api/v1/partner/refunds'),
  },
  PATH_PREFIX: {
    'a full URL': ({ path }) => ({ signedPath: `http://shop.example${path}` }),
    'a prefix that a proxy removed': ({ path }) => ({ signedPath: `/gateway${path}` }),
    'without the base URL’s path, or one that a proxy added': onLine(3, () => '/partner/purchases'),
  },
  TIMESTAMP: {
    'Date.now()': withTimestamp((seconds) => `${seconds}123`),
    microseconds: withTimestamp((seconds) => `${seconds}123456`),
    'milliseconds only sent': ({ timestamp }) => ({ timestamp: `${timestamp}000` }),
    'milliseconds only in the string': ({ timestamp }) => ({ signedTimestamp: `${timestamp}417` }),
    'a fraction': withTimestamp((seconds) => `${seconds}.5`),
    'a date': withTimestamp((seconds) => new Date(seconds * 1_000).toISOString()),
    'the clock read twice': ({ timestamp }) => ({ signedTimestamp: String(Number(timestamp) - 1) }),
  },
  CLOCK: {
    'local time': withTimestamp((seconds) => String(seconds + 7_200)),
    'a slow clock': withTimestamp((seconds) => String(seconds - 1_000)),
    'a request from last week': withTimestamp((seconds) => String(seconds - 604_800)),
  },
  BODY: {
    'sent with whitespace': withSentBody((body) => JSON.stringify(JSON.parse(body), null, 2)),
    'hashed indented': ({ body, hash }) => ({
      hash: () => hash(JSON.stringify(JSON.parse(body), null, 2)),
    }),
    'hashed as written by Python': ({ body, hash }) => ({
      hash: () =>
        hash(body.replace(/(?<=["\]}\dle])[:,](?=["[{\dtn])/g, '$& ').replaceAll('ü', '\\u00fc')),
    }),
    'echo instead of printf': ({ hash }) => ({ hash: (body) => hash(`${body}\n`) }),
    'a line break sent but not signed': withSentBody((body) => `${body}\n`),
    'nothing hashed': ({ hash }) => ({ hash: () => hash('') }),
    'hashed but not sent': withSentBody(() => ''),
    '{} hashed but not sent': ({ hash }) => ({ hash: () => hash('{}'), sentBody: '' }),
    'an empty object hashed': ({ hash }) => ({ hash: () => hash('{}') }),
  },
  BODY_HASH: {
    'hash in capitals': ({ hash }) => ({ hash: (body) => hash(body).toUpperCase() }),
    'hash in base64': () => ({ hash: (body) => sha256(body).toString('base64') }),
    'an empty last line': () => ({ hash: () => '' }),
  },
  SIGNATURE_FORM: {
    'only the digits': withHeader((digest) => digest.toString('hex')),
    capitals: withHeader((digest) => `sha256=${digest.toString('hex').toUpperCase()}`),
    base64: withHeader((digest) => `sha256=${digest.toString('base64')}`),
    'SHA-512': () => ({ mac: (secret, text) => hmac(secret, text, 'sha512') }),
    cut: withHeader((digest) => `sha256=${digest.toString('hex').slice(0, 60)}`),
  },
  UNKNOWN: { 'an unknown secret': () => ({ secret: 'sk_test_of_nobody' }) },
};
