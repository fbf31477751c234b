import test from 'ava';
import { invoicePdf } from '../../../models/billing/invoice-pdf.ts';
import type { InvoiceSheet } from '../../../models/billing/invoices.ts';
import { textInPdf } from '../../helpers/pdf.ts';

const issuedAt = new Date('2036-04-01T00:00:00Z');

const sheet: InvoiceSheet = {
  title: 'Invoice 2036-0001',
  total: '€38.00',
  due: '15 Apr 2036',
  vat: null,
  issuer: { name: 'Rewards GmbH', lines: ['Example Street 1', 'Tax number: DE1'] },
  billedTo: { name: 'Corner Shop Ltd', lines: ['2 High Road', 'Ireland', 'Tax number: IE2'] },
  entries: [['Reference', 'inv_1']],
  lines: [
    { description: 'Large, version 1', amount: '€40.00' },
    { description: 'points given back', amount: '-€2.00' },
  ],
  terms: 'The period was billed at €40.00.',
  payment: ['IBAN DE02', 'Reference: inv_1'],
};

const named = (name: string, lines: string[] = []) =>
  invoicePdf({ ...sheet, billedTo: { name, lines } }, issuedAt);

test('a PDF contains everything that the page shows', async (t) => {
  const words = await textInPdf(await invoicePdf(sheet, issuedAt));
  for (const said of [
    ...['Invoice 2036-0001', 'From Rewards GmbH Example Street 1 Tax number: DE1'],
    'Billed to Corner Shop Ltd 2 High Road Ireland Tax number: IE2',
    ...['Large, version 1 €40.00', 'points given back -€2.00'],
    ...['Total, due on 15 Apr 2036 €38.00', 'The period was billed at €40.00.'],
    'Payment IBAN DE02 Reference: inv_1',
  ]) {
    t.true(words.includes(said), `"${said}" is missing in: ${words}`);
  }
  t.false(words.includes('\uFFFD'));
});

test('a PDF without an issuer names none', async (t) => {
  const bytes = await invoicePdf({ ...sheet, issuer: null, payment: [] }, issuedAt);
  const words = await textInPdf(bytes);
  t.regex(words, /^Invoice 2036-0001 Billed to Corner Shop Ltd/);
  t.notRegex(words, /From|Payment/);
});

test('generated again, a PDF has the same bytes', async (t) => {
  const [first, second] = [await named('Corner Shop'), await named('Corner Shop')];
  t.true(first.equals(second));
  t.regex(first.toString('latin1'), /\(D:20360401000000Z\)/);
});

for (const name of ['Żółć i Syn', 'Παντοπωλείο', 'Магазин на углу', 'Hiệu sách', 'दुकान']) {
  test(`a PDF can show the letters of ${name}`, async (t) => {
    const words = await textInPdf(await named(name));
    // Extracted text can have a space between a letter and its diacritic.
    t.true(words.replaceAll(' ', '').includes(name.replaceAll(' ', '')), words);
    t.notRegex(words, /stands for a character/);
  });
}

for (const name of ['角の店', 'חנות', 'متجر', 'Shop 😀', 'a\uD800b']) {
  test(`characters that the PDF’s font lacks are marked and explained: ${JSON.stringify(name)}`, async (t) => {
    const words = await textInPdf(await named(`Kept ${name}`));
    t.regex(words, /Kept .*\uFFFD/);
    t.regex(words, /\uFFFD stands for a character that the font of this document lacks/);
  });
}

test('the longest allowed input is printed in full, with the amounts', async (t) => {
  const lines = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(60));
  const words = await textInPdf(await named('W'.repeat(200), lines));
  t.is([...words.matchAll(/W/g)].length, 200);
  for (const digit of lines.map((line) => line.charAt(0)).slice(5)) {
    t.true([...words.matchAll(new RegExp(digit, 'g'))].length >= 60, digit);
  }
  t.regex(words, /Total, due on 15 Apr 2036 €38\.00/);
});
