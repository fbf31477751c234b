import { lineNames } from './causes.ts';

/** One line of two canonical strings, side by side. */
export interface LineComparison {
  /** From 1; above 5 for lines that should not exist. */
  line: number;
  name: string;
  /** Both with invisible characters shown; null if that side has no such line. */
  ours: string | null;
  theirs: string | null;
  differs: boolean;
}

/** @param theirs null if unknown; then no line differs */
export function compareLines(ours: string, theirs: string | null): LineComparison[] {
  const our = ours.split('\n');
  const their = theirs?.split('\n') ?? [];
  return Array.from({ length: Math.max(our.length, their.length) }, (_, index) => ({
    line: index + 1,
    name: lineNames[index] ?? 'nothing',
    ours: shown(our[index]),
    theirs: shown(their[index]),
    differs: theirs !== null && our[index] !== their[index],
  }));
}

const shown = (line: string | undefined): string | null =>
  line === undefined ? null : showInvisible(line);

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
