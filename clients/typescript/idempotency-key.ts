const longestKey = 255;

/**
 * Derives the idempotency key of a request from what it reports and the partner's ids of it. The same words give the
 * same key in every client, so that a retry after a crash of your process is a replay, too.
 * @param words such as `purchase` and the order id; any characters
 * @returns up to 255 visible ASCII characters
 * @throws TypeError for a word with half a surrogate pair, which no request can hold
 */
export async function idempotencyKeyOf(...words: string[]): Promise<string> {
  const key = encodedKey(words);
  return key.length <= longestKey ? key : `sha256:${await sha256Hex(key)}`;
}

/** The words, encoded separately, so that none can contain the colon between them. */
export function encodedKey(words: readonly string[]): string {
  return words
    .map((word) => {
      try {
        return encodeURIComponent(word);
      } catch (cause) {
        throw new TypeError('an id holds half a surrogate pair, which cannot be sent', { cause });
      }
    })
    .join(':');
}

/** @throws TypeError at once for a key that the service would refuse, or that no header can hold */
export function requireSendable(idempotencyKey: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) return idempotencyKey;
  throw new TypeError(
    'the idempotency key must be 1 to 255 visible ASCII characters; without one, it is derived from the ids of the request',
  );
}

async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
