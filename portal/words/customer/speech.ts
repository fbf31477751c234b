import { IntlMessageFormat } from 'intl-messageformat';
import { type Html, html, type Part } from '../../html/html.ts';
import { timeLeft } from '../../html/time-left.ts';
import { de } from './de.ts';
import { en, type MessageKey, type Messages } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

/** What customers read, by language; the first is for whoever asks for none of them. */
export const catalogue = { en, de, fr, es } satisfies Record<string, Messages>;
export type Language = keyof typeof catalogue;
const languages = Object.keys(catalogue) as Language[];

/** Days are written the way that most readers of the language do. */
const locales: Record<Language, string> = { en: 'en-GB', de: 'de', fr: 'fr', es: 'es' };

/** What stands in a message: text, numbers, markup, and what a tag makes of what is in it. */
type Values = Record<string, string | number | Html | ((parts: (string | Html)[]) => Html)>;

/** One language, as pages for customers speak it. */
export interface Speech {
  language: Language;
  /** A message without markup. */
  text(key: MessageKey, values?: Record<string, string | number>): string;
  /** A message with markup in its values and tags. */
  say(key: MessageKey, values?: Values): Part;
  /** To the minute, in UTC. */
  time(at: Date | undefined): Html;
  timeLeft(leftMs: number): string;
  money(cents: number, currency: string): string;
}

const formats = new Map<string, IntlMessageFormat>();

function formatOf(language: Language, key: MessageKey): IntlMessageFormat {
  const name = `${language} ${key}`;
  const format = formats.get(name) ?? new IntlMessageFormat(catalogue[language][key], language);
  formats.set(name, format);
  return format;
}

export function speechOf(language: Language): Speech {
  const locale = locales[language];
  const text: Speech['text'] = (key, values = {}) => String(formatOf(language, key).format(values));
  return {
    language,
    text,
    say: (key, values = {}) => formatOf(language, key).format<Html>(values as never) as Part,
    time(at) {
      if (at === undefined) return html`<span class="muted">–</span>`;
      const shown = new Intl.DateTimeFormat(locale, {
        ...{ dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' },
      });
      return html`<time datetime="${at.toISOString()}">${shown.format(at)} UTC</time>`;
    },
    timeLeft: (leftMs) => timeLeft(leftMs, language, text('lessThanAMinute')),
    money: (cents, currency) =>
      new Intl.NumberFormat(language, { style: 'currency', currency }).format(cents / 100),
  };
}

interface Asked {
  acceptsLanguages(...languages: string[]): string | string[] | false;
  vary(header: string): void;
}

/** The language that a customer’s browser asks for. */
export function speechFor(ctx: Asked): Speech {
  ctx.vary('Accept-Language');
  const asked = ctx.acceptsLanguages(...languages);
  return speechOf(languages.find((one) => one === asked) ?? 'en');
}
