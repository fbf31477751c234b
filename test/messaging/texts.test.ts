import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { IntlMessageFormat } from 'intl-messageformat';
import { type Language, languages } from '../../domain/languages.ts';
import { merchantText, segmentsOf } from '../../domain/messages.ts';
import { type TextMessage, UnreachableError } from '../../messaging/message.ts';
import { createTexter, httpGateway, twilio } from '../../messaging/texts.ts';
import { catalogue, localizerOf, type MessageKey } from '../../messaging/words/localizer.ts';
import { html } from '../../portal/components/format.ts';
import { localizerFor, pageLocalizerOf } from '../../portal/words/customer-localizer.ts';

const message: TextMessage = {
  channel: 'SMS',
  id: 'text-PNR_1',
  to: '+12025550123',
  text: 'Yours: https://a.example/claim/x',
};
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`;

/** Starts a gateway that gives every request the same response, and records the requests. */
async function gateway(t: ExecutionContext, status: number, answer: object = {}) {
  const requests: { url?: string; body: string; headers: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request;
    requests.push({ url, headers, body: await textOf(request) });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const twilioAt = (host: string, from = '+12025550100') =>
  twilio({ accountSid: 'AC1', authToken: 'secret', from, baseUrl: `http://${host}` });

test('Twilio receives the number, the sender and the text, as its Messages resource expects', async (t) => {
  const { host, requests } = await gateway(t, 201, { sid: 'SM1' });
  await twilioAt(host)(message);
  await twilioAt(host, 'MG7')(message);
  const [one, other] = requests;
  t.is(one?.url, '/2010-04-01/Accounts/AC1/Messages.json');
  t.is(one?.headers.authorization, basic('AC1:secret'));
  t.deepEqual(Object.fromEntries(new URLSearchParams(one?.body)), {
    To: message.to,
    From: '+12025550100',
    Body: message.text,
  });
  t.is(new URLSearchParams(other?.body).get('MessagingServiceSid'), 'MG7');
});

test('a number that Twilio rejects as invalid is not retried; other errors are', async (t) => {
  const { host } = await gateway(t, 400, { code: 21614, message: 'To is not a mobile number' });
  await t.throwsAsync(twilioAt(host)(message), { instanceOf: UnreachableError });
  const busy = await gateway(t, 429, { code: 20429 });
  const error = await t.throwsAsync(twilioAt(busy.host)(message));
  t.false(error instanceof UnreachableError);
  t.false(error?.message.includes(message.to), 'the error does not contain the number');
});

test('any gateway receives the message as JSON, with an id for recognizing a repeat', async (t) => {
  const { host, requests } = await gateway(t, 202);
  await httpGateway(new URL(`http://shop:s%20ecret@${host}/texts`), 'Shop')(message);
  const [{ url, headers, body } = { body: '{}', headers: {} }] = requests;
  t.is(url, '/texts');
  t.is(headers.authorization, basic('shop:s ecret'));
  t.is(headers['idempotency-key'], message.id);
  const { id, to, text } = message;
  t.deepEqual(JSON.parse(body), { id, from: 'Shop', to, text });
});

test('a 422 of the gateway means that the number cannot receive text messages; without a response the message is retried', async (t) => {
  const { host } = await gateway(t, 422);
  const send = httpGateway(new URL(`http://${host}`), 'Shop');
  await t.throwsAsync(send(message), { instanceOf: UnreachableError });
  const broken = await gateway(t, 500);
  const error = await t.throwsAsync(httpGateway(new URL(`http://${broken.host}`), 'Shop')(message));
  t.is(error?.message, 'text text-PNR_1 was not sent: HTTP 500');
});

test('without a gateway, and for messages that stay in the message folder, a text message is a readable file', async (t) => {
  const messageDir = await mkdtemp(join(tmpdir(), 'messages-'));
  t.teardown(() => rm(messageDir, { recursive: true }));
  const { host, requests } = await gateway(t, 202);
  const from = 'Shop';
  await createTexter({ smsUrl: undefined, from, messageDir })({
    ...message,
    purchaseEventId: 'evt_1',
  });
  const withGateway = createTexter({ smsUrl: `http://${host}`, from, messageDir });
  await withGateway({ ...message, id: 'text-2', staysInFolder: true });
  t.deepEqual((await readdir(messageDir)).toSorted(), ['text-2.txt', 'text-PNR_1.evt_1.txt']);
  const written = await readFile(join(messageDir, 'text-PNR_1.evt_1.txt'), 'utf8');
  for (const part of [message.to, message.text]) t.true(written.includes(part));
  t.is(requests.length, 0);
  await withGateway(message);
  t.is(requests.length, 1);
});

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
    const corrected = { merchant: 'Café Müller', said: text('corrected.sms') };
    const told = merchantText({ mode: 'TEST', ...corrected });
    t.is(segmentsOf(told), 1, told);
    t.true(told.includes('Café Müller'), told);
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
