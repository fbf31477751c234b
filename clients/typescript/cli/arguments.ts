import { InvalidArgumentError } from 'commander';

/** Lets commander report a RangeError of a parser as a wrong argument. */
export function argument<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw error instanceof RangeError ? new InvalidArgumentError(error.message) : error;
    }
  };
}

/** @throws RangeError for anything but an absolute path without query */
export function parsePathname(text: string): string {
  if (!/^\/[^?#\s]*$/.test(text))
    throw new RangeError('a path must begin with / and have no query');
  return text;
}

/** @throws RangeError for anything but a JSON object */
export function parseMetadata(text: string): Record<string, unknown> {
  const value: unknown = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RangeError('it must be a JSON object');
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
