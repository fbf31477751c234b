import type { Language } from '../../domain/languages.ts';
import { de } from './de.ts';
import { en, type MessageKey, type Messages } from './en.ts';
import { es } from './es.ts';
import { formatterOf } from './formatter.ts';
import { fr } from './fr.ts';

/** Texts for customers, by language. */
export const catalogue = { en, de, fr, es } satisfies Record<Language, Messages>;

/** The locale for dates of each language. */
const locales: Record<Language, string> = { en: 'en-GB', de: 'de', fr: 'fr', es: 'es' };

/** Texts, dates and amounts in one language and time zone. */
export interface Localizer {
  language: Language;
  text(key: MessageKey, values?: Record<string, string | number>): string;
  /** The date and time to the minute, with the zone's name. */
  time(at: Date): string;
  /** The date with its year. */
  date(at: Date): string;
  /** Day and month, abbreviated. */
  day(at: Date): string;
  money(cents: number, currency: string): string;
}

/** Formatters for the customers' texts, by language. */
export const formatters = {
  en: formatterOf<MessageKey>(en, 'en'),
  de: formatterOf<MessageKey>(de, 'de'),
  fr: formatterOf<MessageKey>(fr, 'fr'),
  es: formatterOf<MessageKey>(es, 'es'),
} satisfies Record<Language, unknown>;

const localizers = new Map<string, Localizer>();

/** @param timeZone the IANA name of the zone for times */
export function localizerOf(language: Language, timeZone: string): Localizer {
  const key = `${language} ${timeZone}`;
  const localizer = localizers.get(key) ?? createLocalizer(language, timeZone);
  localizers.set(key, localizer);
  return localizer;
}

function createLocalizer(language: Language, timeZone: string): Localizer {
  const formatOf = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locales[language], { ...options, timeZone });
  const minute = formatOf({ dateStyle: 'medium', timeStyle: 'short' });
  const zone = formatOf({ timeZoneName: 'short' });
  const date = formatOf({ dateStyle: 'medium' });
  const day = formatOf({ day: 'numeric', month: 'short' });
  const amounts = new Map<string, Intl.NumberFormat>();
  const amountIn = (currency: string) => {
    const format =
      amounts.get(currency) ?? new Intl.NumberFormat(language, { style: 'currency', currency });
    amounts.set(currency, format);
    return format;
  };
  const zoneAt = (at: Date) =>
    zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
  return {
    language,
    text: (key, values = {}) => String(formatters[language](key, values)),
    time: (at) => `${minute.format(at)} ${zoneAt(at)}`,
    date: (at) => date.format(at),
    day: (at) => day.format(at),
    money: (cents, currency) => amountIn(currency).format(cents / 100),
  };
}
