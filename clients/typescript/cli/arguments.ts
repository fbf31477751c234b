import { InvalidArgumentError } from 'commander';
import { isReadTwoWays, parseCount } from '../../../domain/numbers.ts';
import { readInput } from './input.ts';
import { UsageError } from './usage-error.ts';

/** Makes commander report a parser's RangeError as an invalid argument. */
export function argument<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw error instanceof RangeError ? new InvalidArgumentError(error.message) : error;
    }
  };
}

/** @throws RangeError unless it is an absolute path without a query */
export function parsePathname(text: string): string {
  if (!/^\/[^?#\s]*$/.test(text))
    throw new RangeError('a path must begin with / and have no query');
  return text;
}

/**
 * Reads the value of `--metadata`.
 * @throws UsageError unless it is a JSON object
 */
export async function readMetadata(
  text: string | undefined,
): Promise<Record<string, unknown> | undefined> {
  if (text === undefined) return undefined;
  const value: unknown = parseJson((await readInput(text)).toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(
      '--metadata must be a JSON object: a text, @file, or - for standard input',
    );
  }
  return { ...value };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads a whole number. A program may have computed `1.000`, so that it is refused here.
 * @throws RangeError unless it is a whole number from 1 that can be read one way only
 */
export function parsePoints(text: string): number {
  if (isReadTwoWays(text)) {
    throw new RangeError(
      `it can be read two ways: write ${text.replace(/\D/g, '')}, if you mean that`,
    );
  }
  const points = parseCount(text);
  if (points === undefined || points < 1) throw new RangeError('it must be a whole number from 1');
  return points;
}
