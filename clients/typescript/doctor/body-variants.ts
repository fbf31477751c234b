import { sha256Hex } from '../signature.ts';
import type { Cause } from './causes.ts';
import { type JsonStyle, serialize, unicode } from './serialize.ts';

/** A body that may have been signed instead of the received one. */
interface Variant {
  cause: Cause;
  detail: string;
  /** @returns undefined if this body has no such variant */
  make: (body: Body) => Buffer | string | undefined;
}

interface Body {
  bytes: Buffer;
  text: string;
  /** The parsed value, and the value serialized without whitespace; undefined if the body is not JSON. */
  json: { value: unknown; compact: string } | undefined;
}

const beyondAscii = /[\u0080-\uffff]/g;
const ascii: JsonStyle = { escaped: beyondAscii };
const spaced: JsonStyle = { comma: ', ', colon: ': ' };

const written = (style: JsonStyle, detail: string): Variant => ({
  cause: 'BODY_RE_SERIALIZED',
  detail,
  make({ json }) {
    // A style whose escapes do not occur in this body gives the same text as without them.
    const isMoot = !json || (style.escaped && json.compact.search(style.escaped) === -1);
    return isMoot ? undefined : serialize(json.value, style);
  },
});
const indented = (indent: number | string, detail: string): Variant => ({
  cause: 'BODY_RE_SERIALIZED',
  detail,
  make: ({ json }) => json && JSON.stringify(json.value, null, indent),
});
const lineEnd = (detail: string, change: (text: string) => string): Variant => ({
  cause: 'BODY_LINE_END',
  detail,
  make: ({ text }) => change(text),
});
const encoded = (detail: string, make: Variant['make']): Variant => ({
  cause: 'BODY_ENCODING',
  detail,
  make,
});

/**
 * The names of stored hashes. If two are the same for a body, the first counts, because whitespace
 * explains less than a serializer does.
 */
const variants = {
  withoutBom: encoded('sent with a byte order mark', ({ text }) => text.replace(/^\ufeff/, '')),
  plusNewline: lineEnd('signed with a line break at its end', (text) => `${text}\n`),
  trimmedEnd: lineEnd('signed without the white space at its end', (text) => text.trimEnd()),
  trimmed: lineEnd('signed without the white space around it', (text) => text.trim()),
  lf: lineEnd('signed with LF for each line break', (text) => text.replaceAll('\r\n', '\n')),
  crlf: lineEnd('signed with CR LF for each line break', (text) => text.replace(/\r?\n/g, '\r\n')),
  joined: lineEnd('signed without its line breaks', (text) => text.replace(/[\r\n]/g, '')),
  compact: {
    cause: 'BODY_RE_SERIALIZED',
    detail: 'signed without blanks',
    make: ({ json }) => json?.compact,
  },
  spaced: written(spaced, 'signed with a blank after each comma and colon, as Python writes'),
  pretty2: indented(2, 'signed indented by two blanks'),
  sorted: written({ isSorted: true }, 'signed with its fields sorted'),
  spacedAscii: written({ ...spaced, ...ascii }, 'signed spaced and in ASCII, as Python writes'),
  php: written(
    { escaped: /[\u0080-\uffff]|\//g, escape: phpEscape },
    'signed as PHP’s json_encode writes',
  ),
  pretty4: indented(4, 'signed indented by four blanks'),
  prettyTab: indented('\t', 'signed indented by tabs'),
  spacedSorted: written(
    { ...spaced, isSorted: true },
    'signed spaced and sorted, as Python writes',
  ),
  spacedAsciiSorted: written(
    { ...spaced, ...ascii, isSorted: true },
    'signed spaced, sorted and in ASCII, as Python writes',
  ),
  ascii: written(ascii, 'signed with \\u escapes for what is not ASCII'),
  asciiSorted: written({ ...ascii, isSorted: true }, 'signed sorted and in ASCII'),
  phpUnicode: written(
    { escaped: /\//g, escape: phpEscape },
    'signed with \\/ for each slash, as PHP writes',
  ),
  go: written({ escaped: /[<>&\u2028\u2029]/g }, 'signed as Go’s encoding/json writes'),
  goSorted: written(
    { escaped: /[<>&\u2028\u2029]/g, isSorted: true },
    'signed as Go’s encoding/json writes a map',
  ),
  dotnet: written(
    { escaped: /[\u0080-\uffff<>&'+`]|\\"/g, escape: dotnetEscape },
    'signed as .NET’s System.Text.Json writes',
  ),
  quoted: {
    cause: 'BODY_RE_SERIALIZED',
    detail: 'signed as a JSON string that holds the JSON',
    make: ({ text }) => JSON.stringify(text),
  },
  plusCrlf: lineEnd('signed with CR LF at its end', (text) => `${text}\r\n`),
  withBom: encoded('signed with a byte order mark', ({ text }) => `\ufeff${text}`),
  latin1: encoded('signed as Latin-1, or sent with its UTF-8 encoded twice', ({ text }) =>
    !/[\u0100-\uffff]/.test(text) ? Buffer.from(text, 'latin1') : undefined,
  ),
  fromLatin1: encoded('sent as Latin-1', ({ bytes }) => bytes.toString('latin1')),
  utf16: encoded('signed as UTF-16', ({ text }) => Buffer.from(text, 'utf16le')),
  composed: encoded('signed with composed letters, NFC', ({ text }) => text.normalize('NFC')),
  decomposed: encoded('signed with decomposed letters, NFD', ({ text }) => text.normalize('NFD')),
} as const satisfies Record<string, Variant>;

export type BodyVariant = keyof typeof variants;
/** Lowercase hex by variant, without variants that equal the body or an earlier variant. */
export type VariantHashes = Partial<Record<BodyVariant, string>>;

/**
 * The hashes of bodies that may have been signed instead of a body: enough to find out later what
 * happened, without storing it. A short body can be guessed from them, as from its own hash.
 * @param body as received, at most 64 KiB
 */
export function bodyVariants(body: Uint8Array): VariantHashes {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const text = bytes.toString('utf8');
  const read = { bytes, text, json: parse(text) };
  const seen = new Set([sha256Hex(bytes)]);
  const found: VariantHashes = {};
  for (const name of Object.keys(variants) as BodyVariant[]) {
    const made = (variants[name] as Variant).make(read);
    if (made === undefined) continue;
    const hash = sha256Hex(made);
    if (!seen.has(hash)) found[name] = hash;
    seen.add(hash);
  }
  return found;
}

/** The cause that a variant indicates. */
export function explainVariant(name: BodyVariant): Pick<Variant, 'cause' | 'detail'> {
  return variants[name];
}

/** Also undefined for JSON that is nested too deeply to serialize; the service accepts no such body. */
function parse(text: string): Body['json'] {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return { value, compact: serialize(value, {}) };
  } catch {
    return undefined;
  }
}

function phpEscape(character: string): string {
  return character === '/' ? '\\/' : unicode(character);
}

function dotnetEscape(found: string): string {
  const character = found === '\\"' ? '"' : found;
  return `\\u${unicode(character).slice(2).toUpperCase()}`;
}
