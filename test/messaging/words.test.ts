import test from 'ava';
import { IntlMessageFormat } from 'intl-messageformat';
import { type Language, languages } from '../../domain/languages.ts';
import { merchantText, segmentsOf } from '../../domain/messages.ts';
import { catalogue, localizerOf, type MessageKey } from '../../messaging/words/localizer.ts';
import { html } from '../../portal/html/html.ts';
import { localizerFor, pageLocalizerOf } from '../../portal/words/customer-localizer.ts';

const keys = Object.keys(catalogue.en) as MessageKey[];

interface Element {
  type: number;
  value?: string;
  children?: Element[];
  options?: Record<string, { value: Element[] }>;
}

/** The arguments and tags of a message: the names in braces and in angle brackets. */
function namesIn(elements: readonly Element[]): string[] {
  const [literal, pound] = [0, 7];
  const names = elements.flatMap(({ type, value = '', children = [], options = {} }) => {
    const within = [...children, ...Object.values(options).flatMap((option) => option.value)];
    return [...(type === literal || type === pound ? [] : [value]), ...namesIn(within)];
  });
  return [...new Set(names)].sort();
}

const namesOf = (language: Language, key: MessageKey) =>
  namesIn(new IntlMessageFormat(catalogue[language][key], language).getAst() as Element[]);

for (const language of languages) {
  test(`${language} has every message, with English’s placeholders`, (t) => {
    t.deepEqual(Object.keys(catalogue[language]), keys);
    for (const key of keys) {
      t.not(catalogue[language][key].trim(), '', key);
      t.deepEqual(namesOf(language, key), namesOf('en', key), key);
    }
  });

  test(`${language} has singular and plural points`, (t) => {
    const { text } = localizerOf(language, 'UTC');
    t.regex(text('open.title', { points: 1 }), /\b1 (point|Punkt|punto)\b/);
    t.regex(text('open.title', { points: 2 }), /\b2 (points|Punkte|puntos)\b/);
  });
}

test('a text message fits one segment in every language, in every month', (t) => {
  const link = `https://rewards.shop.example/claim/${'x'.repeat(43)}`;
  for (const language of languages) {
    const { text, day } = localizerOf(language, 'UTC');
    for (const month of Array.from({ length: 12 }, (_, index) => index)) {
      const ends = day(new Date(Date.UTC(2026, month, 28)));
      const said = text('offer.sms', { points: 12_345, day: ends, link });
      const sent = merchantText({ mode: 'LIVE', merchant: 'Café Müller', said });
      t.is(segmentsOf(sent), 1, sent);
      t.regex(sent, /^Café Müller: 12.345 \w+ /);
    }
  }
});

test('numbers, money and times follow the language’s conventions', (t) => {
  const at = new Date('2026-12-05T14:05:00Z');
  const said = languages.map((language) => {
    const { text, money, time, timeLeft } = pageLocalizerOf(language, 'UTC');
    return [
      ...[text('open.button', { points: 12_345 }), money(1_499, 'EUR')],
      ...[String(time(at)).replace(/<[^>]+>/g, ''), timeLeft(12 * 86_400_000)],
    ].map((one) => one.replace(/\s/g, ' '));
  });
  t.deepEqual(said, [
    ['Claim 12,345 points', '€14.99', '5 Dec 2026, 14:05 UTC', 'in 12 days'],
    ['12.345 Punkte sichern', '14,99 €', '05.12.2026, 14:05 UTC', 'in 12 Tagen'],
    ['Récupérer 12 345 points', '14,99 €', '5 déc. 2026, 14:05 UTC', 'dans 12 jours'],
    ['Obtener 12.345 puntos', '14,99 €', '5 dic 2026, 14:05 UTC', 'dentro de 12 días'],
  ]);
});

test('a time names its zone, with its summer name in summer', (t) => {
  const { time, day } = localizerOf('en', 'Europe/Berlin');
  t.is(time(new Date('2026-12-05T14:05:00Z')), '5 Dec 2026, 15:05 CET');
  t.is(time(new Date('2026-07-05T14:05:00Z')), '5 Jul 2026, 16:05 CEST');
  t.is(day(new Date('2026-07-05T23:00:00Z')), '6 Jul');
});

test('a name in a message is escaped, and a tag is markup', (t) => {
  const { say } = pageLocalizerOf('de', 'UTC');
  const mail = (parts: readonly unknown[]) => html`<a href="mailto:a@b">${String(parts)}</a>`;
  t.is(
    String(html`${say('email', { merchant: '<b>Shop</b>', mail })}`),
    'Fragen? <a href="mailto:a@b">E-Mail an &lt;b&gt;Shop&lt;/b&gt;</a>',
  );
});

test('a language chosen on a page takes precedence over the browser’s, and stays in its links', (t) => {
  const asking = (query: Record<string, string>) =>
    localizerFor({ query, acceptsLanguages: () => 'fr', vary: () => undefined });
  const chosen = asking({ language: 'es' });
  t.is(chosen.language, 'es');
  t.is(chosen.to('/claim/x'), '/claim/x?language=es');
  t.is(chosen.to('/points/x?cursor=1'), '/points/x?cursor=1&language=es');
  t.is(asking({ language: 'nl' }).language, 'fr');
  t.is(asking({}).to('/claim/x'), '/claim/x');
});

test('an unsupported language falls back to English', (t) => {
  const asking = (accepted: string | false) =>
    localizerFor({ query: {}, acceptsLanguages: () => accepted, vary: () => undefined }).language;
  t.deepEqual([asking('fr'), asking('en'), asking(false)], ['fr', 'en', 'en']);
});
