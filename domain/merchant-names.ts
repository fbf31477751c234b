/**
 * Whether programs that turn addresses into links, such as mail clients, would do so with this
 * text: it has a scheme, or two words with only a dot in between.
 */
export const looksLikeLink = (text: string): boolean =>
  /:\/\/|[\p{L}\p{N}_-][.。](?:\p{L}{2}|\p{N}+[.。]\p{N}+[.。]\p{N})/u.test(text.normalize('NFKC'));

/**
 * A merchant's name as it appears in messages: one line, and no link. New names that look like a
 * link are refused; existing ones lose the characters that make them one.
 */
export function nameInMessages(name: string): string {
  const oneLine = name.replace(/\s+/g, ' ').trim();
  return looksLikeLink(oneLine)
    ? oneLine
        .normalize('NFKC')
        .replace(/[.。:/]+/g, ' ')
        .trim()
    : oneLine;
}
