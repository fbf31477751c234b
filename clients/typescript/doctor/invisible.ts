const named: Record<string, string> = {
  '\n': '␊',
  '\r': '␍',
  '\t': '␉',
  ' ': '·',
  '\ufeff': '⟨BOM⟩',
};

/**
 * A text in which nothing hides: line ends, blanks, marks without width, and letters of other alphabets
 * that look like those that were meant. A canonical string is visible ASCII but for its line feeds.
 */
export function showInvisible(text: string): string {
  return text.replace(/[^\x21-\x7e]/gu, (character) => named[character] ?? codeOf(character));
}

function codeOf(character: string): string {
  const code = `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? character + code : code;
}
