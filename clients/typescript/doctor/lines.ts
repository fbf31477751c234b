import { lineNames } from './causes.ts';
import { showInvisible } from './invisible.ts';

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

function shown(line: string | undefined): string | null {
  return line === undefined ? null : showInvisible(line);
}
