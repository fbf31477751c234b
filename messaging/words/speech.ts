import type { Language } from '../../domain/languages.ts';
import { de } from './de.ts';
import { en, type MessageKey, type Messages } from './en.ts';
import { es } from './es.ts';
import { formatterOf } from './formatter.ts';
import { fr } from './fr.ts';

/** What customers read, by language. */
export const catalogue = { en, de, fr, es } satisfies Record<Language, Messages>;

/** Days are written the way that most readers of the language do. */
const locales: Record<Language, string> = { en: 'en-GB', de: 'de', fr: 'fr', es: 'es' };

/** One language, as customers are spoken to in it. */
export interface Speech {
  language: Language;
  text(key: MessageKey, values?: Record<string, string | number>): string;
  /** To the minute, with the zone's name. */
  time(at: Date): string;
  /** A day, with its year. */
  date(at: Date): string;
  /** A day and its month, short. */
  day(at: Date): string;
  money(cents: number, currency: string): string;
}

/** Says the customers’ messages, by language. */
export const formatters = {
  en: formatterOf<MessageKey>(en, 'en'),
  de: formatterOf<MessageKey>(de, 'de'),
  fr: formatterOf<MessageKey>(fr, 'fr'),
  es: formatterOf<MessageKey>(es, 'es'),
} satisfies Record<Language, unknown>;

const made = new Map<string, Speech>();

/** @param timeZone that its times are in, by its IANA name */
export function speechOf(language: Language, timeZone: string): Speech {
  const key = `${language} ${timeZone}`;
  const speech = made.get(key) ?? speechIn(language, timeZone);
  made.set(key, speech);
  return speech;
}

function speechIn(language: Language, timeZone: string): Speech {
  const formatOf = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locales[language], { ...options, timeZone });
  const minute = formatOf({ dateStyle: 'medium', timeStyle: 'short' });
  const zone = formatOf({ timeZoneName: 'short' });
  const date = formatOf({ dateStyle: 'medium' });
  const day = formatOf({ day: 'numeric', month: 'short' });
  const zoneAt = (at: Date) =>
    zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
  return {
    language,
    text: (key, values = {}) => String(formatters[language](key, values)),
    time: (at) => `${minute.format(at)} ${zoneAt(at)}`,
    date: (at) => date.format(at),
    day: (at) => day.format(at),
    money: (cents, currency) =>
      new Intl.NumberFormat(language, { style: 'currency', currency }).format(cents / 100),
  };
}
