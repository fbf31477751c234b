import test from 'ava';
import fc from 'fast-check';
import { customerIdentity, normalizeEmail, normalizePhone } from '../../domain/customer.ts';

const emails: [given: string | undefined, normalized: string | null][] = [
  ['ada@example.com', 'ada@example.com'],
  ['Ada.Lovelace@Example.COM', 'ada.lovelace@example.com'],
  [' \tada@example.com\n', 'ada@example.com'],
  ['', null],
  ['   ', null],
  [undefined, null],
];

for (const [given, normalized] of emails) {
  test(`the email ${JSON.stringify(given)} is compared as ${normalized}`, (t) => {
    t.is(normalizeEmail(given), normalized);
  });
}

test('an email that is only whitespace counts as absent', (t) => {
  t.is(normalizeEmail('\u00a0\t\u3000'), null);
});

const phones: [given: string | undefined, country: string, normalized: string | null][] = [
  ['(213) 373-4253', 'US', '+12133734253'],
  ['1-213-373-4253', 'US', '+12133734253'],
  ['+12133734253', 'US', '+12133734253'],
  ['  +1 213 373 4253  ', 'US', '+12133734253'],
  ['030 901820', 'DE', '+4930901820'],
  ['+49 30 901820', 'US', '+4930901820'],
  ['0044 20 7946 0958', 'GB', '+442079460958'],
  ['+1 213 373 4253 ext. 5', 'US', '+12133734253'],
  ['+1２１３３７３４２５３', 'US', '+12133734253'],
  ['12-345', 'US', '12345'],
  ['000', 'US', '000'],
  ['１２３', 'US', '123'],
  ['call 12 or 34', 'US', '1234'],
  ['213-373-4253', 'XX', '2133734253'],
  ['', 'US', null],
  ['   ', 'US', null],
  ['+', 'US', null],
  ['call me', 'US', null],
  [undefined, 'US', null],
];

for (const [given, country, normalized] of phones) {
  test(`in ${country}, the phone ${JSON.stringify(given)} is ${normalized}`, (t) => {
    t.is(normalizePhone(given, country), normalized);
  });
}

test('a phone number in any script keeps its digits, and its owner stays one customer', (t) => {
  t.is(normalizePhone('٢١٣٣٧٣٤٢٥٣', 'US'), '+12133734253');
  t.is(normalizePhone('٢١-٣', 'US'), '٢١٣');
  t.not(normalizePhone('٢١٣', 'US'), normalizePhone('٤٥٦', 'US'));
  t.is(normalizePhone('१२३', 'US'), '१२३');
});

test('a phone with at least one digit is never treated as absent', (t) => {
  const digit = fc.constantFrom(...'09٣७７𝟗๔');
  const noise = fc.string({ unit: 'grapheme', maxLength: 8 });
  fc.assert(
    fc.property(noise, digit, noise, (before, one, after) => {
      return normalizePhone(before + one + after, 'US') !== null;
    }),
    { numRuns: 1_000 },
  );
  t.pass();
});

test('normalizing twice changes nothing', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 32 }), (text) => {
      const email = normalizeEmail(text);
      const phone = normalizePhone(text, 'US');
      return (
        normalizeEmail(email ?? undefined) === email &&
        (phone === null || normalizePhone(phone, 'US') === phone)
      );
    }),
  );
  t.pass();
});

test('different spellings of one number are one customer', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(' ', '-', '.', ''), { minLength: 9, maxLength: 9 }),
      (gaps) => {
        const spelled = [...'2133734253'].map((digit, at) => digit + (gaps[at] ?? '')).join('');
        return normalizePhone(`+1 ${spelled}`, 'DE') === '+12133734253';
      },
    ),
  );
  t.pass();
});

test('a customer is identified by email, or else by phone', (t) => {
  const email = 'ada@example.com';
  const phone = '+12133734253';
  t.is(customerIdentity({ email, phone }), 'email:ada@example.com');
  t.is(customerIdentity({ email, phone: null }), 'email:ada@example.com');
  t.is(customerIdentity({ email: null, phone }), 'phone:+12133734253');
});

test('an email and a phone with the same characters are two customers', (t) => {
  t.not(
    customerIdentity({ email: '123', phone: null }),
    customerIdentity({ email: null, phone: '123' }),
  );
});
