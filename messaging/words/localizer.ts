import { IntlMessageFormat } from 'intl-messageformat';
import { digitsOf } from '../../domain/currencies.ts';
import type { Language } from '../../domain/languages.ts';
import { formatCents } from '../../domain/money.ts';
import de from './de.json' with { type: 'json' };
import en from './en.json' with { type: 'json' };
import es from './es.json' with { type: 'json' };
import fr from './fr.json' with { type: 'json' };

export type MessageKey = keyof typeof en;

/** Texts for customers, as ICU messages. Every language has the same keys, arguments and tags. */
export const catalogue: Record<Language, Record<MessageKey, string>> = { en, de, fr, es };

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
  number(value: number): string;
  money(cents: number, currency: string): string;
}

const formats = new Map<string, IntlMessageFormat>();

/**
 * A message in one language. The result is text, or a list if values are markup or functions, which get what
 * is within their tag.
 * @throws Error if the values lack an argument or tag of the message
 */
export function messageIn(language: Language, key: MessageKey, values: object = {}): unknown {
  const place = `${language} ${key}`;
  const format = formats.get(place) ?? new IntlMessageFormat(catalogue[language][key], language);
  formats.set(place, format);
  return format.format(values as Record<string, string>);
}

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
      amounts.get(currency) ??
      new Intl.NumberFormat(language, {
        style: 'currency',
        currency,
        minimumFractionDigits: digitsOf(currency),
        maximumFractionDigits: digitsOf(currency),
      });
    amounts.set(currency, format);
    return format;
  };
  const zoneAt = (at: Date) =>
    zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
  return {
    language,
    text: (key, values) => String(messageIn(language, key, values)),
    time: (at) => `${minute.format(at)} ${zoneAt(at)}`,
    date: (at) => date.format(at),
    day: (at) => day.format(at),
    number: (value) => value.toLocaleString(locales[language]),
    // As text, so that nothing is rounded.
    money: (cents, currency) =>
      amountIn(currency).format(formatCents(cents, currency) as Intl.StringNumericLiteral),
  };
}
