const named: Record<string, string> = {
  '\n': '␊',
  '\r': '␍',
  '\t': '␉',
  ' ': '·',
  '\ufeff': '⟨BOM⟩',
};

/**
 * Makes the invisible visible: line ends, spaces, zero-width characters, and letters of other alphabets
 * that look like Latin ones. A canonical string consists of visible ASCII and line feeds.
 */
export function showInvisible(text: string): string {
  return text.replace(/[^\x21-\x7e]/gu, (character) => named[character] ?? codeOf(character));
}

function codeOf(character: string): string {
  const code = `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? character + code : code;
}
