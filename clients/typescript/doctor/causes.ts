/** The lines of the canonical string (docs/integrate/requests.md, Authentication). */
export const lineNames = ['version', 'method', 'path', 'timestamp', 'body hash'] as const;
export type LineNumber = 1 | 2 | 3 | 4 | 5;

/** The causes of refused signatures: the line of the canonical string that differs, if it is one, and what to do. */
const explained = {
  HEADER_MISSING: [
    null,
    'Send all three: the key, the timestamp and the signature header, on every request, with at most 512 characters.',
  ],
  SECRET_SENT: [
    null,
    'Sign with the secret and never send it. This one has left your server: rotate it.',
  ],
  CREDENTIAL_REVOKED: [null, 'Create a new credential and use its key and secret.'],
  OTHER_SECRET: [
    null,
    'Take key and secret from the same credential, and use its newest secret everywhere.',
  ],
  SECRET_CHANGED: [
    null,
    'Use the secret exactly as it was shown, whole, with its characters as UTF-8 bytes: trim what you read from a file, and remove the quotation marks of an .env file.',
  ],
  LINES: [
    null,
    'Begin with v1, join the five lines by the one character U+000A, and end without one. In many languages "\\n" means that only in double quotes.',
  ],
  METHOD: [2, 'Sign the method that you send, in capitals, such as POST.'],
  PATH: [
    3,
    'Take the path to sign from the request itself: up to the question mark, without a slash at its end.',
  ],
  PATH_PREFIX: [
    3,
    'Sign the path as it arrives here: /api/v1/partner/… If a proxy on the way adds or removes its beginning, sign what comes out of the proxy.',
  ],
  TIMESTAMP: [
    4,
    'Read the clock once for each attempt, in whole seconds since 1970, ten digits, and use that text in the string and in the header.',
  ],
  CLOCK: [
    4,
    'Set the clock of the machine that signs (NTP); the seconds since 1970 know no time zone. If its clock is right, sign each attempt again instead of keeping a signed request.',
  ],
  BODY: [
    5,
    'Serialize once, keep that text, hash it, and send the very same bytes: give your client a raw body instead of an object, and on a command line use printf and --data-binary. A GET signs the hash of nothing.',
  ],
  BODY_HASH: [
    5,
    'Write line 5 as the 64 lower-case hex digits of the SHA-256, also for an empty body.',
  ],
  SIGNATURE_FORM: [
    null,
    'Send sha256= and the 64 lower-case hex digits of the HMAC-SHA256, and nothing else.',
  ],
  UNKNOWN: [
    null,
    'First check that you sign with this key’s newest secret, whole. If you do, print the five lines just before you sign them, and compare them with ours. If the service’s address has a path of its own, a proxy may remove it: sign the path as it arrives here.',
  ],
} as const satisfies Record<string, readonly [line: LineNumber | null, advice: string]>;

/** The cause of a wrong signature. */
export type Cause = keyof typeof explained;

/** A problem of a request, and what to do about it. */
export interface Finding {
  cause: Cause;
  /** The line of the canonical string that differs; null if it is not a single line. */
  line: LineNumber | null;
  /** What was done, as a sentence. */
  what: string;
  /** What to do instead. */
  advice: string;
}

/** @param what what was done, as a sentence */
export function findingOf(cause: Cause, what: string): Finding {
  const [line, advice] = explained[cause];
  return { cause, line, what, advice };
}
