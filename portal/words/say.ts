import { formatterOf, type ValuesOf } from '../../messaging/words/formatter.ts';
import type { Part } from '../html/html.ts';
import { type Key, messages } from './en/index.ts';

export type { Key };

/** The language of the portal’s pages, set only here. */
const language = 'en';

const format = formatterOf(messages, language);

/**
 * Keys of texts without values. Tables contain keys instead of texts, which are looked up when a page is
 * rendered.
 */
export type PlainKey = {
  [Of in Key]: keyof ValuesOf<(typeof messages)[Of], Part> extends never ? Of : never;
}[Key];

type Values<Of extends Key> = ValuesOf<(typeof messages)[Of], Part>;

const isKey = (text: string): text is Key => Object.hasOwn(messages, text);

/**
 * The error message of a field whose rule names a text of the catalogue. Any other text, such as a message
 * of the API, would name the field as programs do.
 * @param values of the rule, such as a limit
 */
export const sayWrong = (text: string, values: object = {}): string =>
  isKey(text) ? String(format(text, values)) : say('field.notValid');

/** A string, unless one of the values is markup. */
type Said<Given> = Given[keyof Given] extends string | number ? string : Part;

/**
 * A text of the portal. Its values are escaped where it is rendered, as in any template; markup can only
 * come from the caller's values and tags, never from the catalogue.
 */
export function say<Of extends Key, Given extends Values<Of>>(
  key: Of,
  ...[values]: keyof Values<Of> extends never ? [] : [values: Given]
): Said<Given> {
  return format(key, values) as Said<Given>;
}
