import test from 'ava';
import fc from 'fast-check';
import {
  containsContact,
  customerIdentity,
  maskEmail,
  maskPhone,
  maskValues,
  normalizeEmail,
  normalizePhone,
} from '../../domain/customer.ts';
import { orderNameOf, purchaseWorkflowId, shortOrderName } from '../../domain/workflow-names.ts';

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

const emailsOfMask: [email: string, masked: string][] = [
  ['anna.smith@example.com', 'a•••@e•••.com'],
  ['a@b.co', '•••@•••.co'],
  ['müller@müller.de', 'm•••@m•••.de'],
  ['"odd@name"@example.com', '"•••@e•••.com'],
  ['𝕒nna@localhost', '𝕒•••@l•••'],
  ['no address', '•••'],
];

for (const [email, masked] of emailsOfMask) {
  test(`${email} shows as ${masked}`, (t) => {
    t.is(maskEmail(email), masked);
  });
}

const phonesOfMask: [phone: string, masked: string][] = [
  ['+4915112345678', '•••78'],
  ['12345', '•••'],
  ['123456', '•••56'],
  ['', '•••'],
];

for (const [phone, masked] of phonesOfMask) {
  test(`the phone ${JSON.stringify(phone)} shows as ${masked}`, (t) => {
    t.is(maskPhone(phone), masked);
  });
}

test('an address keeps at most two letters and the end of its domain', (t) => {
  fc.assert(
    fc.property(fc.emailAddress(), (email) => {
      const masked = maskEmail(email);
      const end = email.slice(email.lastIndexOf('.'));
      t.true(masked.endsWith(`•••${end}`));
      t.true(masked.length <= '•••@•••'.length + 2 + end.length);
    }),
  );
});

test('metadata keeps its structure, but no value', (t) => {
  t.deepEqual(
    maskValues({
      store: 'Berlin',
      born: 1_990,
      isNew: true,
      note: null,
      items: [{ sku: 'A1' }, 7],
      'anna@example.com': 'x',
      15112345678: 'y',
    }),
    {
      '•••': 'string',
      store: 'string',
      born: 'number',
      isNew: 'boolean',
      note: null,
      items: [{ sku: 'string' }, 'number'],
    },
  );
  t.is(maskValues(null), null);
});

test('any metadata loses all text and numbers', (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (metadata) => {
      const kinds = new Set(['string', 'number', 'boolean', null]);
      const leaves: unknown[] = [];
      JSON.stringify(maskValues(metadata), (_name, value) => {
        if (typeof value !== 'object' || value === null) leaves.push(value);
        return value;
      });
      t.true(leaves.every((leaf) => kinds.has(leaf as string | null)));
    }),
  );
});

test('a field name with a few digits is kept, one that could be a number is masked', (t) => {
  t.deepEqual(Object.keys(maskValues({ line1: 'x', 'slot-123': 'x' }) as object), [
    'line1',
    'slot-123',
  ]);
  t.false(Object.keys(maskValues({ order4711: 'x' }) as object).includes('order4711'));
});

const contacts = [
  ...[
    'jane@shop.example',
    'order-jane.doe+1@shop.example-7',
    'jane%40shop.example',
    'jane＠shop.example',
  ],
  ...['+14155552671', '+1 (415) 555-2671', '4155552671', '(415) 555-2671', '14155552671'],
  ...['A-415-555-2671', '+49 170 1234567', '00491701234567', 'no. +442079460000 again'],
];
const others = [
  ...['A1', '1000001', '1000234567', '5123456789012', '2026-11-23-0007', 'INV/2026/0001'],
  ...[
    'b3b0c442-98fc-4c14-9afb-f4c8996fb924',
    '41555526-7141-4555-a671-415555267100',
    '@home',
    '1@',
    'SO 10.000.001',
    '0000000000',
  ],
];

test('only order ids that contain a customer’s email or phone number are detected', (t) => {
  for (const one of contacts) t.true(containsContact(one, 'US'), one);
  for (const one of others) t.false(containsContact(one, 'US'), one);
});

test('a number without a country code is read as one of the partner’s country', (t) => {
  t.true(containsContact('0170 1234567', 'DE'));
  t.false(containsContact('0170 1234567', 'US'));
});

test('an order is named as its workflow is, by its short form or its id', (t) => {
  const short = shortOrderName('a'.repeat(26));
  const named = (name: string) => purchaseWorkflowId(name, 'LIVE', 'hash');
  t.is(orderNameOf({ externalOrderId: 'jane@a.co', workflowId: named(short) }), short);
  t.is(orderNameOf({ externalOrderId: 'order-7', workflowId: named('order-7') }), 'order-7');
  t.is(orderNameOf({ externalOrderId: 'A 1', workflowId: named('A 1') }), 'A 1');
});
