import { defaultLanguage, type Language, languages } from '../../domain/languages.ts';
import type { en, MessageKey } from '../../messaging/words/en.ts';
import type { ValuesOf } from '../../messaging/words/formatter.ts';
import { formatters, speechOf, type Speech as TextSpeech } from '../../messaging/words/speech.ts';
import { type Html, html, type Part } from '../html/html.ts';
import { timeLeft } from '../html/time-left.ts';

/** One language, as pages for customers speak it. */
export interface Speech extends Omit<TextSpeech, 'time' | 'date' | 'day'> {
  /** A message with markup in its values and tags. */
  say<Key extends MessageKey>(key: Key, values: ValuesOf<(typeof en)[Key], Part>): Part;
  /** To the minute, in UTC. */
  time(at: Date | undefined): Html;
  /** A day, with its year. */
  date(at: Date): Html;
  timeLeft(leftMs: number): string;
}

export function pageSpeechOf(language: Language): Speech {
  const { text, time, date, money } = speechOf(language);
  return {
    ...{ language, text, money },
    say: (key, values) => formatters[language](key, values) as Part,
    time: (at) =>
      at === undefined
        ? html`<span class="muted">–</span>`
        : html`<time datetime="${at.toISOString()}">${time(at)}</time>`,
    date: (at) => html`<time datetime="${at.toISOString()}">${date(at)}</time>`,
    timeLeft: (leftMs) => timeLeft(leftMs, language, text('lessThanAMinute')),
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
  return pageSpeechOf(languages.find((one) => one === asked) ?? defaultLanguage);
}

/** Of the page that a customer acts on, where the browser names one: `*` is any. */
export const askedLanguage = (
  ctx: Asked & { get(header: string): string },
): Language | undefined =>
  /[a-z]/i.test(ctx.get('Accept-Language')) ? speechFor(ctx).language : undefined;
