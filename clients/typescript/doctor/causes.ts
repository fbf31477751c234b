/** The lines of the canonical string (docs/contract.md, Authentication). */
export const lineNames = ['version', 'method', 'path', 'timestamp', 'body hash'] as const;
export type LineNumber = 1 | 2 | 3 | 4 | 5;

interface Explained {
  /** The line of the canonical string that differs; null if it is not a single line. */
  line: LineNumber | null;
  /** What was done, as a sentence. */
  what: string;
  /** What to do instead. */
  advice: string;
}

/** All causes of wrong signatures in practice, with an explanation of each. */
const explained = {
  HEADER_MISSING: {
    line: null,
    what: 'A signature header is missing, empty or longer than 512 characters.',
    advice: 'Send all three: the key, the timestamp and the signature header, on every request.',
  },
  KEY_AND_SECRET_SWAPPED: {
    line: null,
    what: 'The key header holds a signing secret.',
    advice:
      'Send the API key (pk_…) in the key header and keep the secret (sk_…) to yourself. This secret has left your server: rotate it.',
  },
  SECRET_SENT: {
    line: null,
    what: 'A header holds a signing secret.',
    advice: 'Sign with the secret and never send it. This one has left your server: rotate it.',
  },
  UNKNOWN_KEY: {
    line: null,
    what: 'The key header does not hold this credential’s API key.',
    advice: 'Copy the API key again, whole and without quotes.',
  },
  CREDENTIAL_REVOKED: {
    line: null,
    what: 'The API key was revoked: no signature of it is accepted.',
    advice: 'Create a new credential and use its key and secret.',
  },

  OTHER_MODE_SECRET: {
    line: null,
    what: 'It was signed with the secret of the other mode: TEST and LIVE each have their own key and secret.',
    advice: 'Take key and secret from the same credential.',
  },
  ROTATED_SECRET: {
    line: null,
    what: 'It was signed with a revoked secret of this key.',
    advice: 'Switch to the key’s newest secret everywhere: some process still has the old one.',
  },
  OTHER_CREDENTIAL_SECRET: {
    line: null,
    what: 'It was signed with the secret of another of your credentials.',
    advice: 'Take key and secret from the same credential.',
  },
  KEY_AS_SECRET: {
    line: null,
    what: 'It was signed with the API key instead of the secret.',
    advice: 'Sign with the secret (sk_…) that was shown once, when the key was created.',
  },
  SECRET_WHITESPACE: {
    line: null,
    what: 'The secret it was signed with has white space around it.',
    advice: 'Trim what you read from a file, an environment variable or a form before you sign.',
  },
  SECRET_QUOTED: {
    line: null,
    what: 'The secret it was signed with has quotation marks around it.',
    advice: 'Remove the quotation marks: most often an .env file was read verbatim.',
  },
  SECRET_DECODED: {
    line: null,
    what: 'The secret was decoded before it was used.',
    advice: 'Use the secret’s characters as they were shown, as UTF-8 bytes.',
  },
  SECRET_CUT: {
    line: null,
    what: 'A part of the secret is missing.',
    advice: 'Use the whole secret, sk_ and everything after it.',
  },
  SECRET_CHANGED: {
    line: null,
    what: 'The secret was changed before it was used.',
    advice: 'Use the secret as it was shown: neither hashed nor in another case.',
  },
  ARGUMENTS_SWAPPED: {
    line: null,
    what: 'The two arguments of the HMAC are swapped: the secret was signed with the string.',
    advice: 'Give the secret as the key, and the five lines as the message.',
  },
  NOT_HMAC: {
    line: null,
    what: 'The signature is a plain SHA-256, not an HMAC.',
    advice: 'Use HMAC-SHA256 with the secret as its key.',
  },

  VERSION_LINE: {
    line: 1,
    what: 'The first line is not v1.',
    advice: 'Begin with the two characters v1, in lower case.',
  },
  METHOD_CASE: {
    line: 2,
    what: 'The method is not in upper case.',
    advice: 'Sign the method in capitals, such as POST.',
  },
  OTHER_METHOD: {
    line: 2,
    what: 'The method that was signed is not the one that was sent.',
    advice: 'Sign the method that your client actually sends.',
  },
  QUERY_IN_PATH: {
    line: 3,
    what: 'The query is part of the path that was signed.',
    advice: 'Sign the path alone, up to the question mark. These endpoints take no query.',
  },
  FULL_URL: {
    line: 3,
    what: 'The whole URL was signed instead of the path.',
    advice: 'Sign what comes after the host, from the first slash on.',
  },
  TRAILING_SLASH: {
    line: 3,
    what: 'The signed path and the sent path differ by a slash at the end.',
    advice: 'Sign and send the path without a slash at its end.',
  },
  PATH_CUT: {
    line: 3,
    what: 'The beginning of the path is missing from what was signed.',
    advice: 'Sign the whole path, from the slash before api on: /api/v1/partner/…',
  },
  PATH_CASE: {
    line: 3,
    what: 'The path was signed in a different case than it was sent.',
    advice: 'Sign the path as it is sent, in lower case.',
  },
  PATH_ENCODING: {
    line: 3,
    what: 'The path was signed with different percent-encoding than it was sent with.',
    advice: 'Sign the path exactly as it goes over the wire.',
  },
  OTHER_PATH: {
    line: 3,
    what: 'The path that was signed is not the one that was sent.',
    advice: 'Take the path to sign from the request itself, not from a constant.',
  },
  MILLISECONDS: {
    line: 4,
    what: 'The timestamp is not in seconds.',
    advice: 'Divide by 1000 and drop the fraction: whole seconds since 1970, ten digits.',
  },
  TIMESTAMP_FORM: {
    line: 4,
    what: 'The timestamp is not a whole number in decimal digits.',
    advice: 'Send whole seconds since 1970 as ten digits: no date, no fraction, no sign.',
  },
  MILLISECONDS_SIGNED: {
    line: 4,
    what: 'Milliseconds were signed, and seconds sent.',
    advice: 'Compute the timestamp once, in whole seconds, and use that text for both.',
  },
  OTHER_TIMESTAMP: {
    line: 4,
    what: 'The timestamp that was signed is not the one that was sent.',
    advice:
      'Read the clock once for each attempt, and use the same text in the string and the header.',
  },
  TIME_ZONE: {
    line: 4,
    what: 'The timestamp is off by whole hours: a local time was taken for UTC.',
    advice: 'Take the seconds since the Unix epoch, which know no time zone.',
  },
  CLOCK_SKEW: {
    line: 4,
    what: 'The timestamp is more than 300 seconds away from our clock.',
    advice:
      'Set the clock of the machine that signs (NTP). If its clock is right, sign each attempt again instead of keeping a signed request.',
  },
  BODY_RE_SERIALIZED: {
    line: 5,
    what: 'The body was serialized again after it was signed: same data, different bytes.',
    advice:
      'Serialize once, keep that text, hash it, and send the very same text. Most clients have a way to send a raw body; do not give them an object.',
  },
  BODY_LINE_END: {
    line: 5,
    what: 'The signed body and the sent body differ only in white space or line ends.',
    advice:
      'Hash the bytes that you send. On a command line use printf instead of echo, and --data-binary instead of --data.',
  },
  BODY_ENCODING: {
    line: 5,
    what: 'The body was signed in a different character encoding than it was sent in.',
    advice:
      'Encode the body as UTF-8 once, without a byte order mark, and hash and send those bytes.',
  },
  BODY_LEFT_OUT: {
    line: 5,
    what: 'The hash of an empty body was signed, but a body was sent.',
    advice: 'Hash the body before you hand it to the client; a stream that has been read is empty.',
  },
  BODY_NOT_SENT: {
    line: 5,
    what: 'The request arrived without a body.',
    advice: 'Send the bytes that you hashed. A GET signs the hash of nothing.',
  },
  BODY_HASH_FORM: {
    line: 5,
    what: 'The body hash is not in lower-case hex.',
    advice: 'Write line 5 as the 64 lower-case hex digits of the SHA-256.',
  },
  BODY_NOT_HASHED: {
    line: 5,
    what: 'The last line is the body itself, or empty, instead of its hash.',
    advice: 'Line 5 is the SHA-256 of the body in lower-case hex, also for an empty body.',
  },
  OTHER_BODY: {
    line: 5,
    what: 'The body that was signed is not the one that was sent.',
    advice: 'Hash the exact bytes that you send, after everything that may change them.',
  },
  BODY_ALONE_SIGNED: {
    line: null,
    what: 'The body was signed instead of the five lines.',
    advice: 'Sign v1, method, path, timestamp and body hash, one per line.',
  },

  TRAILING_NEWLINE: {
    line: null,
    what: 'The string that was signed ends with a line break.',
    advice: 'Join the five lines with a line break between them, and none at the end.',
  },
  LINE_SEPARATOR: {
    line: null,
    what: 'The five lines are not joined by a line feed.',
    advice:
      'Join them with the one character U+000A. In many languages "\\n" means that only in double quotes.',
  },

  PREFIX_MISSING: {
    line: null,
    what: 'The signature header does not begin with sha256= in lower case.',
    advice: 'Send sha256= and the hex digits, without a space between them.',
  },
  UPPERCASE_HEX: {
    line: null,
    what: 'The digits of the signature are in upper case.',
    advice: 'Write the hex digits in lower case.',
  },
  BASE64: {
    line: null,
    what: 'The signature is in base64.',
    advice: 'Write the digest in lower-case hex: 64 digits.',
  },
  OTHER_ALGORITHM: {
    line: null,
    what: 'The signature has the length of another algorithm’s.',
    advice: 'Use HMAC-SHA256, whose digest has 64 hex digits.',
  },
  SIGNATURE_FORM: {
    line: null,
    what: 'The signature header is not sha256= and 64 lower-case hex digits.',
    advice: 'Send only the digest: no quotation marks, no other text, nothing cut off.',
  },
  SECRET_UNKNOWN: {
    line: null,
    what: 'The signature does not match the string you gave under any of your secrets.',
    advice: 'Check that the secret belongs to this key and is complete.',
  },
  UNKNOWN: {
    line: null,
    what: 'Most likely the secret is wrong: the signature matches none of your secrets, and none of the usual mistakes.',
    advice:
      'First check that you sign with this key’s newest secret, whole. If you do, print the five lines just before you sign them, and compare them with ours.',
  },
} as const satisfies Record<string, Explained>;

/** The cause of a wrong signature. */
export type Cause = keyof typeof explained;

export const causes = Object.keys(explained) as Cause[];

/** A problem of a request, and what to do about it. */
export interface Finding extends Explained {
  cause: Cause;
}

/** @param detail further information as the end of a sentence, without a capital or a full stop */
export function findingOf(cause: Cause, detail?: string): Finding {
  const { line, what, advice } = explained[cause];
  return { cause, line, what: detail ? `${what.slice(0, -1)} (${detail}).` : what, advice };
}
