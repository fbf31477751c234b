import { readFileSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

/**
 * Reads the value of an option as curl does: `@file` stands for a file's bytes, `-` for standard
 * input, anything else is the text itself.
 * @throws UsageError if the file cannot be read
 */
export function readInput(value: string): Buffer<ArrayBuffer> {
  if (value !== '-' && !value.startsWith('@')) return Buffer.from(value);
  const file = value === '-' ? 0 : value.slice(1);
  try {
    return Buffer.from(readFileSync(file));
  } catch (cause) {
    throw new UsageError(`cannot read ${value === '-' ? 'standard input' : file}`, { cause });
  }
}
