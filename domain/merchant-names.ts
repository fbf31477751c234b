/**
 * Whether a text would become a link where programs look for them, as those that show mails do: it has
 * a scheme, or two words with nothing but a dot between them.
 */
export const looksLikeLink = (text: string): boolean =>
  /:\/\/|[\p{L}\p{N}_-][.。](?:\p{L}{2}|\p{N}+[.。]\p{N}+[.。]\p{N})/u.test(text.normalize('NFKC'));

/**
 * What a merchant is called in a message that reaches others: one line, and no link. A new name that looks
 * like one is refused; those from before lose what makes them one.
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
