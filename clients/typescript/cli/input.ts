import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { UsageError } from './usage-error.ts';

/**
 * Reads the value of an option as curl does: `@file` stands for a file's bytes, `-` for standard
 * input, anything else is the text itself.
 * @throws UsageError if the file cannot be read
 */
export async function readInput(value: string): Promise<Buffer<ArrayBuffer>> {
  const file = value.startsWith('@') ? value.slice(1) : null;
  try {
    if (value === '-') return Buffer.from(await buffer(process.stdin));
    return file === null ? Buffer.from(value) : await readFile(file);
  } catch (cause) {
    throw new UsageError(`cannot read ${file ?? 'standard input'}`, { cause });
  }
}
