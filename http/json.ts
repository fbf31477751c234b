import { ServiceError } from '../domain/errors.ts';
import { repeatedName } from '../platform/json-names.ts';

/**
 * Parses a JSON body from outside. A name given twice in one object is refused: which of its values counts is
 * the parser's choice, and another reader of the same bytes may choose differently.
 * @param bytes UTF-8 JSON
 * @throws ServiceError INVALID_JSON, or VALIDATION_FAILED for a field named `__proto__`
 */
export function parseJson(bytes: Uint8Array): unknown {
  const mark = markOf(bytes);
  if (mark !== undefined) {
    throw new ServiceError(
      'INVALID_JSON',
      `The body begins with a byte order mark (${mark}). Send UTF-8 without one.`,
    );
  }
  const [text, value] = parsed(bytes);
  const repeated = repeatedName(text);
  if (repeated !== undefined) {
    throw new ServiceError(
      'INVALID_JSON',
      `The body gives the name ${repeated} twice in one object. Give each name once.`,
    );
  }
  return value;
}

function parsed(bytes: Uint8Array): [text: string, value: unknown] {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    // A reviver is called for every field, which costs more than parsing; few bodies need it.
    const mayHideProto = text.includes('__proto__') || text.includes('\\u');
    return [text, mayHideProto ? JSON.parse(text, refuseProto) : JSON.parse(text)];
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('INVALID_JSON', 'The body is not valid JSON in UTF-8.');
  }
}

/** The byte order mark that a text begins with, by its encoding. */
function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'UTF-8';
  if (first === 0xfe && second === 0xff) return 'UTF-16';
  return first === 0xff && second === 0xfe ? 'UTF-16' : undefined;
}

/**
 * Refuses a field named `__proto__`. Copying the object would turn it into the copy's prototype, so it
 * would pass the check for unknown fields and its fields would count as the body's.
 */
function refuseProto(name: string, value: unknown): unknown {
  if (name !== '__proto__') return value;
  throw new ServiceError('VALIDATION_FAILED', '__proto__ is not a known field');
}
