import test from 'ava';
import { isTextable, merchantText, segmentsOf } from '../../domain/messages.ts';

const link = `https://rewards.shop.example/claim/${'x'.repeat(43)}`;
const words = '499 points for you. Claim by 22 Dec: ';
const facts = { mode: 'LIVE', said: `${words}${link}` } as const;

test('a segment holds 160 characters of GSM 03.38 or 70 of any others, and fewer in longer messages', (t) => {
  t.is(segmentsOf('a'.repeat(160)), 1);
  t.is(segmentsOf('a'.repeat(161)), 2);
  t.is(segmentsOf('€'.repeat(80)), 1);
  t.is(segmentsOf('€'.repeat(81)), 2);
  t.is(segmentsOf('ж'.repeat(70)), 1);
  t.is(segmentsOf('ж'.repeat(71)), 2);
  t.is(segmentsOf(`a${'ж'.repeat(70)}`), 2);
});

test('the text says who, how many points, until when and where', (t) => {
  const text = merchantText({ ...facts, merchant: 'Corner Shop' });
  t.is(text, `Corner Shop: 499 points for you. Claim by 22 Dec: ${link}`);
});

test('text keeps the characters of GSM 03.38, and others lose their accents', (t) => {
  const said = `à récupérer avant le 22 août : 12\u202f345 Punkte für Señor Ángel, ${link}`;
  const text = merchantText({ mode: 'LIVE', merchant: 'Café', said });
  t.is(text, `Café: à récupérer avant le 22 aout : 12 345 Punkte für Señor Angel, ${link}`);
});

test('the text is one segment for any name in Latin letters, and says TEST in TEST', (t) => {
  for (const merchant of [
    'Corner Shop',
    'Ünïcôdé Čafé',
    '🎉 Łódź’s “Best” – Café™',
    'x'.repeat(100),
  ]) {
    const text = merchantText({ ...facts, merchant, mode: 'TEST' });
    t.is(segmentsOf(text), 1, text);
    t.true(text.startsWith('[TEST] '));
    t.true(text.endsWith(link));
  }
});

test('typographic characters are written in GSM 03.38', (t) => {
  for (const [merchant, shown] of [
    ['Ann’s', "Ann's"],
    ['“Best” – Shop…', '"Best" - Shop...'],
    ['Łódź Œuvre', 'Lodz OEuvre'],
    ['🎉Shop❤️', 'Shop'],
    ['Shop\u00a0&\u202fCo', 'Shop & Co'],
  ] as const) {
    t.is(merchantText({ ...facts, merchant }), `${shown}: ${facts.said}`);
  }
  t.true(
    merchantText({ ...facts, merchant: 'Shop', said: 'it’s “all” – yours' }).endsWith(
      'it\'s "all" - yours',
    ),
  );
});

test('a name in another alphabet costs a second segment, rather than the name', (t) => {
  for (const merchant of ['магазин', 'すき家', 'קפה', '🎉']) {
    const text = merchantText({ ...facts, merchant });
    t.true(text.startsWith(`${merchant}: `), text);
    t.is(segmentsOf(text), 2, text);
  }
});

test('only mobile numbers can receive text messages', (t) => {
  for (const phone of ['+12025550123', '+447400123456', '+4915123456789']) {
    t.true(isTextable(phone), phone);
  }
  for (const phone of ['+442079460000', '+18005550123', '2025550123', '+1', '']) {
    t.false(isTextable(phone), phone);
  }
});

/** The merchant's name as shown in a text with a link of the given length. */
function shownName(merchant: string, linkChars: number): string {
  const text = merchantText({ ...facts, merchant, said: `${words}${'x'.repeat(linkChars)}` });
  return text.slice(0, Math.max(0, text.indexOf(': 499 points')));
}

test('a merchant’s name loses extra spaces, then its accents, then its end, and costs a second segment before it is left out', (t) => {
  const rest = words.length;
  const room = (nameChars: number) => 160 - rest - ': '.length - nameChars;
  t.is(shownName(' Corner\n\t Shop ', room(11)), 'Corner Shop');
  t.is(shownName('Čajovna', room(7)), 'Cajovna');
  const long = 'Abcdefghijklmnopqrstuvwxyz'.repeat(3);
  for (const [chars, shown] of [
    [50, 40],
    [40, 40],
    [39, 20],
    [19, 11],
    [10, 40],
  ] as const) {
    t.is(shownName(long, room(chars)), long.slice(0, shown), `room for ${chars}`);
  }
});
