import { customerTimeZone } from '../../domain/branding.ts';
import { defaultLanguage, type Language, languages } from '../../domain/languages.ts';
import { utc } from '../../domain/time-zones.ts';
import {
  type Localizer,
  localizerOf,
  type MessageKey,
  messageIn,
} from '../../messaging/words/localizer.ts';
import { type Html, html, type Part, timeLeft } from '../components/format.ts';

/** Texts and formats in one language for customers' pages. */
export interface PageLocalizer extends Omit<Localizer, 'time' | 'date' | 'day'> {
  /** A message whose values and tags can contain markup. */
  say(key: MessageKey, values: Record<string, Part | ((parts: Part[]) => Part)>): Part;
  /**
   * To the minute, in the zone of the partner's customers, until a script converts it to the browser's
   * zone.
   */
  time(at: Date | undefined): Html;
  /** A day with its year, in the same zone. */
  date(at: Date): Html;
  timeLeft(leftMs: number): string;
  /** The address of another customers' page, which keeps a language that the reader chose. */
  to(path: string): string;
}

/** @param chosen whether the reader chose the language on a page */
export function pageLocalizerOf(
  language: Language,
  timeZone: string,
  chosen = false,
): PageLocalizer {
  const { text, time, date, number, money } = localizerOf(language, timeZone);
  return {
    language,
    text,
    number,
    money,
    say: (key, values) => messageIn(language, key, values) as Part,
    time: (at) =>
      at === undefined
        ? html`<span class="muted">–</span>`
        : html`<time datetime="${at.toISOString()}" data-local="minute">${time(at)}</time>`,
    date: (at) => html`<time datetime="${at.toISOString()}" data-local="day">${date(at)}</time>`,
    timeLeft: (leftMs) => timeLeft(leftMs, language, text('lessThanAMinute')),
    to: (path) => (chosen ? `${path}${path.includes('?') ? '&' : '?'}language=${language}` : path),
  };
}

interface LanguageContext {
  readonly query: Record<string, string | string[] | undefined>;
  acceptsLanguages(...languages: string[]): string | string[] | false;
  vary(header: string): void;
}

const chosenIn = ({ query }: Pick<LanguageContext, 'query'>): Language | undefined =>
  languages.find((one) => one === query.language);

/**
 * The localizer for the language that a customer chose on the page, or else the browser's.
 * @param partner the customer's partner, if known, for the time zone
 */
export function localizerFor(
  ctx: LanguageContext,
  partner?: Parameters<typeof customerTimeZone>[0],
): PageLocalizer {
  ctx.vary('Accept-Language');
  const chosen = chosenIn(ctx);
  const accepted = ctx.acceptsLanguages(...languages);
  const language = chosen ?? languages.find((one) => one === accepted) ?? defaultLanguage;
  return pageLocalizerOf(language, partner ? customerTimeZone(partner) : utc, chosen !== undefined);
}

/** The language that the customer chose, or else the browser's, if it names one other than `*`. */
export const requestedLanguage = (
  ctx: LanguageContext & { get(header: string): string },
): Language | undefined =>
  chosenIn(ctx) ??
  (/[a-z]/i.test(ctx.get('Accept-Language')) ? localizerFor(ctx).language : undefined);
