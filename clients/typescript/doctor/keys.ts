import { createHash, createHmac } from 'node:crypto';
import type { Bytes } from '../signature.ts';
import { type Cause, type Finding, findingOf } from './causes.ts';

/** A secret that a request may have been signed with. */
export interface KnownSecret {
  secret: string;
  whose: 'ACTIVE' | 'REVOKED' | 'OTHER_MODE' | 'OTHER_CREDENTIAL';
  /** Its name for the partner; never the secret itself. */
  name: string;
}

/** A way to compute a digest of a string, with its mistakes; none for the correct way. */
export interface Maker {
  findings: readonly Finding[];
  digest(text: string): Buffer;
}

const strangers: Record<Exclude<KnownSecret['whose'], 'ACTIVE'>, Cause> = {
  REVOKED: 'ROTATED_SECRET',
  OTHER_MODE: 'OTHER_MODE_SECRET',
  OTHER_CREDENTIAL: 'OTHER_CREDENTIAL_SECRET',
};

/** The correct way, with each active secret. */
export function rightMakers(secrets: readonly KnownSecret[]): Maker[] {
  return secrets
    .filter(({ whose }) => whose === 'ACTIVE')
    .map(({ secret }) => ({ findings: [], digest: hmacWith(secret) }));
}

/**
 * The wrong ways: with another secret, with something derived from an active one, or without HMAC.
 * @param apiKey the key of the credential
 */
export function wrongMakers(secrets: readonly KnownSecret[], apiKey: string): Maker[] {
  const others = secrets.flatMap(({ secret, whose, name }): Maker[] =>
    whose === 'ACTIVE'
      ? []
      : [{ findings: [findingOf(strangers[whose], name)], digest: hmacWith(secret) }],
  );
  const keyed = { findings: [findingOf('KEY_AS_SECRET')], digest: hmacWith(apiKey) };
  const active = secrets.filter(({ whose }) => whose === 'ACTIVE');
  return [
    ...others,
    keyed,
    ...active.flatMap(({ secret }) => [...spoiled(secret), ...misused(secret)]),
  ];
}

/** Ways in which a secret gets changed between storage and use. */
function spoiled(secret: string): Maker[] {
  const as = (cause: Cause, key: Bytes, detail?: string): Maker => ({
    findings: [findingOf(cause, detail)],
    digest: hmacWith(key),
  });
  const bare = [secret.replace(/^sk_/, ''), secret.replace(/^sk_(?:test|live)_/, '')];
  const hash = createHash('sha256').update(secret).digest();
  const parts = [secret, ...bare];
  return [
    as('SECRET_WHITESPACE', `${secret}\n`, 'a line break follows'),
    as('SECRET_WHITESPACE', `${secret}\r\n`, 'CR LF follows'),
    as('SECRET_WHITESPACE', `${secret}\r`, 'CR follows'),
    as('SECRET_WHITESPACE', `${secret} `, 'a blank follows'),
    as('SECRET_WHITESPACE', ` ${secret}`, 'a blank comes before it'),
    as('SECRET_WHITESPACE', `\ufeff${secret}`, 'a byte order mark comes before it'),
    ...[`"${secret}"`, `'${secret}'`, `\`${secret}\``].map((key) => as('SECRET_QUOTED', key)),
    ...parts.map((part) => as('SECRET_DECODED', Buffer.from(part, 'base64'), 'from base64')),
    ...parts.map((part) => as('SECRET_DECODED', Buffer.from(part, 'hex'), 'from hex')),
    ...bare.map((part) => as('SECRET_CUT', part, 'its beginning')),
    as('SECRET_CUT', '', 'all of it: it is empty'),
    as('SECRET_CUT', secret.slice(0, -1), 'its last character'),
    as('SECRET_CUT', secret.slice(1), 'its first character'),
    as('SECRET_CHANGED', hash, 'it is hashed'),
    as('SECRET_CHANGED', hash.toString('hex'), 'it is hashed'),
    as('SECRET_CHANGED', secret.toLowerCase(), 'it is in lower case'),
    as('SECRET_CHANGED', secret.toUpperCase(), 'it is in upper case'),
    as('SECRET_CHANGED', Buffer.from(secret).toString('base64'), 'it is in base64'),
    as('SECRET_CHANGED', Buffer.from(secret).toString('hex'), 'it is in hex'),
    as('SECRET_CHANGED', encodeURIComponent(secret), 'it is percent-encoded'),
  ];
}

/** Wrong uses of the correct secret. */
function misused(secret: string): Maker[] {
  const hashed = (make: (text: string) => string, detail: string): Maker => ({
    findings: [findingOf('NOT_HMAC', detail)],
    digest: (text) => createHash('sha256').update(make(text)).digest(),
  });
  return [
    {
      findings: [findingOf('ARGUMENTS_SWAPPED')],
      digest: (text) => createHmac('sha256', text).update(secret).digest(),
    },
    hashed((text) => secret + text, 'of the secret and the string'),
    hashed((text) => text + secret, 'of the string and the secret'),
    hashed((text) => `${text}\n${secret}`, 'of the string and the secret'),
    hashed((text) => text, 'of the string alone, without the secret'),
  ];
}

function hmacWith(key: Bytes): Maker['digest'] {
  return (text) => createHmac('sha256', key).update(text).digest();
}
