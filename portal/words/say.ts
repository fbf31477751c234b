import { formatterOf, type ValuesOf } from '../../messaging/words/formatter.ts';
import type { Part } from '../html/html.ts';
import { type Key, messages } from './en/index.ts';

export type { Key };

/** The language of the portal’s own pages: the one place where it is chosen. */
const language = 'en';

const format = formatterOf(messages, language);

/** A text that takes no values: tables of words hold these, and are said when a page is made. */
export type PlainKey = {
  [Of in Key]: keyof ValuesOf<(typeof messages)[Of], Part> extends never ? Of : never;
}[Key];

type Values<Of extends Key> = ValuesOf<(typeof messages)[Of], Part>;

const isKey = (text: string): text is Key => Object.hasOwn(messages, text);

/**
 * What is wrong with a field, where its rule names a text of the catalogue.
 * @param values of the rule itself, such as a limit
 */
export const sayWrong = (text: string, values: object = {}): string =>
  isKey(text) ? String(format(text, values)) : text;

/** Text, unless something in it is markup. */
type Said<Given> = Given[keyof Given] extends string | number ? string : Part;

/**
 * A text of the portal. What is put into it is escaped where it is shown, as in any template; markup comes from
 * the values and from the tags that the caller names, never from the catalogue.
 */
export function say<Of extends Key, Given extends Values<Of>>(
  key: Of,
  ...[values]: keyof Values<Of> extends never ? [] : [values: Given]
): Said<Given> {
  return format(key, values) as Said<Given>;
}
