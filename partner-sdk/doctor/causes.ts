/** The lines of the canonical string (specification, Signing procedure 2). */
export const lineNames = ['version', 'method', 'path', 'timestamp', 'body hash'] as const;
export type LineNumber = 1 | 2 | 3 | 4 | 5;

interface Explained {
  /** The line of the canonical string that it makes differ; null where no single line does. */
  line: LineNumber | null;
  /** What was done, as a sentence. */
  what: string;
  /** What to do instead. */
  advice: string;
}

/** Everything that makes a signature wrong in practice, the most telling words for each beside it. */
const explained = {
  HEADER_MISSING: {
    line: null,
    what: 'A header of the signature is missing, empty or longer than 512 characters.',
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
    advice: 'Make a new credential and send with its key and secret.',
  },

  OTHER_MODE_SECRET: {
    line: null,
    what: 'It is signed with the secret of the other mode: TEST and LIVE have a key and a secret each.',
    advice: 'Take key and secret from the same credential.',
  },
  ROTATED_SECRET: {
    line: null,
    what: 'It is signed with a secret of this key that was revoked.',
    advice:
      'Switch to the newest secret of the key, everywhere: some process still has the old one.',
  },
  OTHER_CREDENTIAL_SECRET: {
    line: null,
    what: 'It is signed with the secret of another of your credentials.',
    advice: 'Take key and secret from the same credential.',
  },
  KEY_AS_SECRET: {
    line: null,
    what: 'It is signed with the API key in place of the secret.',
    advice: 'Sign with the secret (sk_…) that was shown once, when the key was made.',
  },
  SECRET_WHITESPACE: {
    line: null,
    what: 'The secret that it is signed with has white space around it.',
    advice: 'Trim what you read from a file, an environment variable or a form before you sign.',
  },
  SECRET_QUOTED: {
    line: null,
    what: 'The secret that it is signed with has its quotes around it.',
    advice: 'Take the quotes off: most often an .env file was read as it stands.',
  },
  SECRET_DECODED: {
    line: null,
    what: 'The secret was decoded before it was used.',
    advice: 'Use the characters of the secret, as UTF-8 bytes, as they were shown.',
  },
  SECRET_CUT: {
    line: null,
    what: 'A part of the secret is missing.',
    advice: 'Use the whole secret, with sk_ and all that follows.',
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
    what: 'Another method was signed than was sent.',
    advice: 'Sign the method that your client really sends.',
  },
  QUERY_IN_PATH: {
    line: 3,
    what: 'The query is part of the path that was signed.',
    advice: 'Sign the path alone, up to the question mark. These endpoints take no query.',
  },
  FULL_URL: {
    line: 3,
    what: 'The address was signed, and not the path alone.',
    advice: 'Sign what stands after the host, from its first slash on.',
  },
  TRAILING_SLASH: {
    line: 3,
    what: 'The path that was signed and the path that was sent differ by the slash at the end.',
    advice: 'Sign and send the path without a slash at its end.',
  },
  PATH_CUT: {
    line: 3,
    what: 'The beginning of the path is missing in what was signed.',
    advice: 'Sign the whole path, from the slash before api on: /api/v1/partner/…',
  },
  PATH_CASE: {
    line: 3,
    what: 'The path was signed in another case than it was sent.',
    advice: 'Sign the path as it is sent, in lower case.',
  },
  PATH_ENCODING: {
    line: 3,
    what: 'The path was signed with other percent-encoding than it was sent with.',
    advice: 'Sign the path exactly as it goes over the wire.',
  },
  OTHER_PATH: {
    line: 3,
    what: 'Another path was signed than was sent.',
    advice: 'Take the signed path from the request itself, not from a constant beside it.',
  },
  MILLISECONDS: {
    line: 4,
    what: 'The timestamp is not in seconds.',
    advice: 'Divide by 1000 and cut the fraction off: whole seconds since 1970, ten digits.',
  },
  TIMESTAMP_FORM: {
    line: 4,
    what: 'The timestamp is not a whole number in decimal digits.',
    advice: 'Send whole seconds since 1970 as ten digits: no date, no fraction, no sign.',
  },
  MILLISECONDS_SIGNED: {
    line: 4,
    what: 'Milliseconds were signed, and seconds sent.',
    advice: 'Work the timestamp out once, in whole seconds, and use that text for both.',
  },
  OTHER_TIMESTAMP: {
    line: 4,
    what: 'Another timestamp was signed than was sent.',
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
      'Set the clock of the machine that signs (NTP). If its clock is right, sign each attempt anew instead of keeping a signed request.',
  },
  BODY_RE_SERIALIZED: {
    line: 5,
    what: 'The body was written as JSON once more after it was signed: same data, other bytes.',
    advice:
      'Serialize once, keep that text, hash it, and send the very same text. Most clients have a way to send a raw body; do not give them an object.',
  },
  BODY_LINE_END: {
    line: 5,
    what: 'The bodies that were signed and sent differ by white space or line ends alone.',
    advice:
      'Hash the bytes that you send. On a command line use printf instead of echo, and --data-binary instead of --data.',
  },
  BODY_ENCODING: {
    line: 5,
    what: 'The body was signed in another character encoding than it was sent in.',
    advice:
      'Encode the body as UTF-8 once, without a byte order mark, and hash and send those bytes.',
  },
  BODY_LEFT_OUT: {
    line: 5,
    what: 'The hash of an empty body was signed, but a body was sent.',
    advice: 'Hash the body before it is handed to the client; a stream that was read is empty.',
  },
  BODY_NOT_SENT: {
    line: 5,
    what: 'The request arrived without a body.',
    advice: 'Send the bytes that you hashed. A GET signs the hash of nothing.',
  },
  BODY_HASH_FORM: {
    line: 5,
    what: 'The hash of the body is not written in lower-case hex.',
    advice: 'Write line 5 as the 64 lower-case hex digits of the SHA-256.',
  },
  BODY_NOT_HASHED: {
    line: 5,
    what: 'The last line is the body itself, or nothing, in place of its hash.',
    advice: 'Line 5 is the SHA-256 of the body, in lower-case hex, of an empty one too.',
  },
  OTHER_BODY: {
    line: 5,
    what: 'Another body was signed than was sent.',
    advice: 'Hash the very bytes that you send, after everything that may still change them.',
  },
  BODY_ALONE_SIGNED: {
    line: null,
    what: 'The body was signed, and not the five lines.',
    advice: 'Sign v1, method, path, timestamp and the hash of the body, one a line.',
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
      'Join them with the one character U+000A. In many languages "\\n" is that only in double quotes.',
  },

  PREFIX_MISSING: {
    line: null,
    what: 'The signature header does not begin with sha256= in lower case.',
    advice: 'Send sha256= and the hex digits, without a blank between them.',
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
    what: 'The signature is as long as that of another algorithm.',
    advice: 'Use HMAC-SHA256, whose digest has 64 hex digits.',
  },
  SIGNATURE_FORM: {
    line: null,
    what: 'The signature header is not sha256= and 64 lower-case hex digits.',
    advice: 'Send the digest alone: no quotes, no other text, not cut.',
  },
  SECRET_UNKNOWN: {
    line: null,
    what: 'The signature is not that of the string you gave, under any secret of yours.',
    advice:
      'The string is one thing and the secret another: check that the secret is this key’s, and whole.',
  },
  UNKNOWN: {
    line: null,
    what: 'The signature fits nothing that is usually done wrong.',
    advice:
      'Print the five lines just before you sign them, and compare them with ours. If they are the same, the secret is another one.',
  },
} as const satisfies Record<string, Explained>;

/** What made a signature wrong. */
export type Cause = keyof typeof explained;

export const causes = Object.keys(explained) as Cause[];

/** One thing that is wrong with a request, and what to do about it. */
export interface Finding extends Explained {
  cause: Cause;
}

/** @param detail what is known besides, as the end of a sentence: no capital and no full stop */
export function findingOf(cause: Cause, detail?: string): Finding {
  const { line, what, advice } = explained[cause];
  return { cause, line, what: detail ? `${what.slice(0, -1)} (${detail}).` : what, advice };
}
