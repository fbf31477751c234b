import { sha256Hex } from '../signature.ts';
import { type BodyVariant, explainVariant } from './body-variants.ts';
import { type Cause, type Finding, findingOf, type LineNumber } from './causes.ts';
import { ourString, type SuspectRequest } from './suspect.ts';

/** A string that may have been signed, with its mistakes; none for ours. */
export interface Candidate {
  text: string;
  findings: readonly Finding[];
}

/** A mistake in a part of the string. */
interface Slip {
  finding: Finding;
  /** The part that it changes; slips of the same part are not combined. */
  part: number;
  apply: (lines: readonly string[]) => readonly string[];
  /** Only for a slip in how the lines are joined. */
  join?: (lines: readonly string[]) => string;
}

const endpoints = ['purchases', 'refunds', 'plans', 'usage', 'billing'].map(
  (name) => `/api/v1/partner/${name}`,
);
const methods = ['POST', 'GET', 'PUT'];

/** Only this many slips of each part, the usual ones, are also tried in pairs; all would be too many. */
const pairedOfPart = 10;

/**
 * The strings that a partner may have signed for a request: ours, then those with one slip,
 * then, with `mostSlips` 2, those with two usual slips; each string once.
 */
export function candidateStrings(request: SuspectRequest, mostSlips: 1 | 2): Candidate[] {
  const slips = slipsOf(request);
  const lines = ourString(request).split('\n');
  const byText = new Map<string, Candidate>();
  const add = (made: readonly Slip[]): void => {
    const text = textOf(lines, made);
    if (byText.has(text)) return;
    byText.set(text, { text, findings: made.map(({ finding }) => finding) });
  };
  add([]);
  for (const slip of slips) add([slip]);
  if (mostSlips === 1) return [...byText.values()];
  const usual = [1, 2, 3, 4, 5].flatMap((part) =>
    slips.filter((slip) => slip.part === part).slice(0, pairedOfPart),
  );
  usual.forEach((one, index) => {
    for (const other of usual.slice(index + 1)) if (other.part !== one.part) add([one, other]);
  });
  return [...byText.values()];
}

/** The slip that turns one of our lines into this; undefined if none does. */
export function slipOfLine(
  request: SuspectRequest,
  line: LineNumber,
  theirs: string,
): Finding | undefined {
  const lines = ourString(request).split('\n');
  const slip = slipsOf(request).find(
    ({ part, apply }) => part === line && apply(lines)[line - 1] === theirs,
  );
  return slip?.finding;
}

function textOf(lines: readonly string[], slips: readonly Slip[]): string {
  const slipped = slips.reduce((made, { apply }) => apply(made), lines);
  const join = slips.find((slip) => slip.join)?.join;
  return join ? join(slipped) : slipped.join('\n');
}

function slipsOf(request: SuspectRequest): Slip[] {
  return [
    ...joinSlips(),
    ...methodSlips(request),
    ...pathSlips(request),
    ...timestampSlips(request),
    ...bodySlips(request),
  ];
}

function ofLine(part: number, cause: Cause, line: string, detail?: string): Slip {
  const apply = (lines: readonly string[]) => lines.with(part - 1, line);
  return { part, finding: findingOf(cause, detail), apply };
}

function methodSlips({ method }: SuspectRequest): Slip[] {
  const upper = method.toUpperCase();
  const capitalized = upper.slice(0, 1) + upper.slice(1).toLowerCase();
  return [
    ofLine(2, 'METHOD_CASE', upper.toLowerCase()),
    ofLine(2, 'METHOD_CASE', capitalized),
    ...methods
      .filter((other) => other !== upper)
      .map((other) => ofLine(2, 'OTHER_METHOD', other, `${other} was signed, ${upper} was sent`)),
    ofLine(2, 'OTHER_METHOD', '', 'the line is empty'),
  ];
}

function pathSlips({ pathname, query, host }: SuspectRequest): Slip[] {
  const path = (cause: Cause, line: string, detail?: string) => ofLine(3, cause, line, detail);
  const withQuery = query === null ? [] : [`${pathname}?${query}`];
  const origins = host === null ? [] : [`https://${host}`, `http://${host}`, host];
  const bare = pathname.replace(/\/$/, '');
  const parts = pathname.split('/').slice(1);
  const encodings = [decodeURIComponent, encodeURI, encodeURIComponent].flatMap((encode) =>
    encoded(pathname, encode),
  );
  return [
    ...withQuery.map((line) => path('QUERY_IN_PATH', line)),
    path('TRAILING_SLASH', bare === pathname ? `${pathname}/` : bare),
    ...origins.flatMap((origin) =>
      [pathname, ...withQuery].map((line) => path('FULL_URL', origin + line)),
    ),
    ...parts.slice(1).map((_, index) => path('PATH_CUT', `/${parts.slice(index + 1).join('/')}`)),
    ...parts.map((_, index) => path('PATH_CUT', parts.slice(index).join('/'))),
    path('PATH_CASE', pathname.toLowerCase()),
    path('PATH_CASE', pathname.toUpperCase()),
    ...encodings.map((line) => path('PATH_ENCODING', line)),
    ...endpoints
      .filter((other) => other !== pathname)
      .map((other) => path('OTHER_PATH', other, `that of ${other} was signed`)),
    path('OTHER_PATH', '', 'the line is empty'),
  ];
}

function timestampSlips({ timestamp }: SuspectRequest): Slip[] {
  const time = (cause: Cause, line: string, detail?: string) => ofLine(4, cause, line, detail);
  if (!/^\d{9,20}$/.test(timestamp)) return [time('OTHER_TIMESTAMP', '', 'the line is empty')];
  const seconds = timestamp.slice(0, 10);
  const date = new Date(Number(seconds) * 1000).toISOString();
  return [
    time('MILLISECONDS_SIGNED', `${timestamp}000`),
    time('OTHER_TIMESTAMP', seconds, 'seconds were signed'),
    time('OTHER_TIMESTAMP', date, 'a date was signed'),
    time('OTHER_TIMESTAMP', date.replace('.000Z', 'Z'), 'a date was signed'),
    time('OTHER_TIMESTAMP', `${timestamp}.0`, 'a fraction was signed'),
    time('OTHER_TIMESTAMP', '', 'the line is empty'),
  ];
}

function bodySlips({ body }: SuspectRequest): Slip[] {
  const line = (cause: Cause, text: string, detail?: string) => ofLine(5, cause, text, detail);
  const { sha256: ours, variants, lengthBytes } = body;
  const bytes = Buffer.from(ours, 'hex');
  const instead =
    lengthBytes === 0
      ? ['{}', 'null', '""', '[]', 'undefined'].map((text) =>
          line('BODY_NOT_SENT', sha256Hex(text), `${text} was signed`),
        )
      : [
          line('BODY_LEFT_OUT', sha256Hex('')),
          ...['{}', 'null', '[object Object]', 'undefined'].map((text) =>
            line('OTHER_BODY', sha256Hex(text), `${text} was signed`),
          ),
        ];
  return [
    ...Object.entries(variants ?? {}).map(([name, hash]) => {
      const { cause, detail } = explainVariant(name as BodyVariant);
      return line(cause, hash, detail);
    }),
    ...instead,
    line('BODY_HASH_FORM', ours.toUpperCase(), 'it is in upper case'),
    line('BODY_HASH_FORM', bytes.toString('base64'), 'it is in base64'),
    line('BODY_HASH_FORM', bytes.toString('base64url'), 'it is in base64url'),
    line('BODY_HASH_FORM', `sha256=${ours}`, 'it has a prefix'),
    line('BODY_HASH_FORM', sha256Hex(ours), 'it is hashed twice'),
    line('BODY_NOT_HASHED', '', 'the line is empty'),
  ];
}

/** The correct lines, joined in a wrong way. */
function joinSlips(): Slip[] {
  const joined = (cause: Cause, join: Slip['join'], detail?: string): Slip => ({
    part: 1,
    finding: findingOf(cause, detail),
    apply: (lines) => lines,
    ...(join && { join }),
  });
  const separated = (separator: string, detail: string): Slip =>
    joined('LINE_SEPARATOR', (lines) => lines.join(separator), detail);
  return [
    joined('TRAILING_NEWLINE', (lines) => `${lines.join('\n')}\n`),
    joined('TRAILING_NEWLINE', (lines) => `${lines.join('\r\n')}\r\n`, 'all of them are CR LF'),
    separated('\r\n', 'CR LF stands between them'),
    separated('\\n', 'a backslash and the letter n stand between them'),
    separated('', 'nothing stands between them'),
    ...[' ', '.', ',', ':', '|', '&'].map((text) =>
      separated(text, `${JSON.stringify(text)} stands between them`),
    ),
    joined('VERSION_LINE', (lines) => lines.slice(1).join('\n'), 'it is missing'),
    joined('VERSION_LINE', (lines) => lines.with(0, 'V1').join('\n'), 'it is V1'),
    joined('VERSION_LINE', (lines) => lines.with(0, '1').join('\n'), 'it is 1'),
    joined('VERSION_LINE', (lines) => lines.with(0, 'v2').join('\n'), 'it is v2'),
  ];
}

/** @returns an empty list if the text cannot be encoded or decoded this way */
function encoded(text: string, encode: (text: string) => string): string[] {
  try {
    return [encode(text)];
  } catch {
    return [];
  }
}
