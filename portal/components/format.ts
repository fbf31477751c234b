import { AsyncLocalStorage } from 'node:async_hooks';
import { html as tagged } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { DateTime } from 'luxon';
import { moneyText } from '../../domain/money.ts';
import { numberText, plural, pointsWords } from '../../domain/numbers.ts';
import { utc } from '../../domain/time-zones.ts';
import { dayMs } from '../../domain/utc-days.ts';

/** Safe HTML, created only by `html`, which escapes the values inserted into it. */
export type Html = HtmlEscapedString;

/** Values allowed in a template; others do not compile. Null, undefined and booleans render nothing. */
export type Part = Html | string | number | boolean | null | undefined | readonly Part[];

/**
 * An HTML template. Inserted values are escaped for text and for quoted attributes, so attribute values
 * must be in double quotes.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return tagged(strings, ...parts) as Html;
}

export const nothing = html``;

const zones = new AsyncLocalStorage<string>();

/** Runs a function in which times are shown in this zone. */
export const inZone = <Result>(zone: string, work: () => Result): Result => zones.run(zone, work);

/** The zone in which times are currently shown. */
export const shownZone = (): string => zones.getStore() ?? utc;

export { moneyText, numberText, plural, pointsWords };

/** An amount in tabular figures. */
export const money = (cents: number, currency: string): Html =>
  html`<span class="number">${moneyText(cents, currency)}</span>`;

/** A whole number in tabular figures. */
export const number = (value: number): Html =>
  html`<span class="number">${numberText(value)}</span>`;

const readable = (at: Date, format: string): string =>
  DateTime.fromJSDate(at, { zone: 'utc' }).setLocale('en-GB').toFormat(format);

/** A time to the minute, in UTC, as text. */
export const utcMinuteText = (at: Date): string => readable(at, 'd LLL yyyy, HH:mm');

/** Cached by zone, since creating a format takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function inShownZone(at: Date, second?: '2-digit'): string {
  const timeZone = shownZone();
  const key = `${timeZone} ${second}`;
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat('en-GB', {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      ...(second && { second }),
      timeZone,
      timeZoneName: 'short',
    });
  formats.set(key, format);
  return format.format(at);
}

/** A time to the minute, in the viewer's zone, which it names, as text. */
export const minuteText = (at: Date): string => inShownZone(at);

/** Like `minuteText`, for a time in ISO 8601. */
export const minuteOfIso = (at: string): string => minuteText(new Date(at));

/** A time to the minute, in the viewer's zone. @param otherwise shown if there is none */
export function time(at: Date | null | undefined, otherwise = '–'): Html {
  if (!at) return html`<span class="muted">${otherwise}</span>`;
  const iso = at.toISOString();
  return html`<time datetime="${iso}" title="${iso}">${minuteText(at)}</time>`;
}

/** A time to the second, for rows that are compared with each other or with a log. */
export function exactTime(at: Date): Html {
  const iso = at.toISOString();
  return html`<time datetime="${iso}" title="${iso}">${inShownZone(at, '2-digit')}</time>`;
}

const minuteMs = 60_000;
const units = [
  ['d', 24 * 60],
  ['h', 60],
  ['min', 1],
] as const;

/** The approximate distance to a time: `in 5 h`, `2 d ago`. */
export function away(at: Date, nowMs: number): string {
  const minutes = Math.round((at.getTime() - nowMs) / minuteMs);
  const [unit, length] =
    units.find(([, size]) => Math.round(Math.abs(minutes) / size) >= 1) ?? (['min', 1] as const);
  const amount = `${Math.round(Math.abs(minutes) / length)} ${unit}`;
  if (minutes === 0) return 'now';
  return minutes > 0 ? `in ${amount}` : `${amount} ago`;
}

/** A time and the distance to it. */
export const timeAway = (at: Date, nowMs: number): Html =>
  html`${time(at)} <span class="muted">(${away(at, nowMs)})</span>`;

/** The distance to a time where space is short; its title has the time itself. */
export function awayTime(at: Date, nowMs: number): Html {
  const iso = at.toISOString();
  return html`<time datetime="${iso}" title="${iso}">${away(at, nowMs)}</time>`;
}

/** A day, always in UTC, as are the days of filters and billing periods. */
export function day(at: Date): Html {
  return html`<time datetime="${at.toISOString().slice(0, 10)}">${readable(at, 'd LLL yyyy')}</time>`;
}

const hourMs = 60 * minuteMs;

/** Largest first; a unit is used from twice its length, so that 36 hours are not shown as 1 day. */
const spanUnits = [
  ['year', 365 * dayMs],
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
] as const;
/**
 * The time until something, rounded down: `in 12 days`.
 * @param leftMs positive
 * @param language a BCP 47 tag
 * @param soon shown for less than a minute
 */
export function timeLeft(leftMs: number, language: string, soon: string): string {
  const [unit, unitMs] = spanUnits.find(([, one]) => leftMs >= 2 * one) ?? ['minute', minuteMs];
  const left = Math.floor(leftMs / unitMs);
  return left === 0 ? soon : new Intl.RelativeTimeFormat(language).format(left, unit);
}

/** The most recent use of several secrets or tokens, to the minute. */
export function lastUseOf(all: readonly { lastUsedAt: Date | null }[]): Date | null {
  const used = all.flatMap(({ lastUsedAt }) => (lastUsedAt ? [lastUsedAt.getTime()] : []));
  return used.length === 0 ? null : new Date(Math.max(...used));
}
