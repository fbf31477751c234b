import test from 'ava';
import fc from 'fast-check';
import {
  containsContact,
  customerIdentity,
  maskEmail,
  maskPhone,
  maskValues,
  normalizePhone,
} from '../../domain/customer.ts';
import { isEmail, normalizeEmail } from '../../domain/email.ts';
import { orderNameOf, purchaseWorkflowId, shortOrderName } from '../../domain/workflow-names.ts';

const emails: [given: string | undefined, normalized: string | null][] = [
  ['ada@example.com', 'ada@example.com'],
  ['Ada.Lovelace@Example.COM', 'ada.lovelace@example.com'],
  [' \tada@example.com\n', 'ada@example.com'],
  ['', null],
  ['   ', null],
  ['JO@MÜLLER.DE', 'jo@xn--mller-kva.de'],
  ['jo@mu\u0308ller.de', 'jo@xn--mller-kva.de'],
  ['jo@xn--mller-kva.de', 'jo@xn--mller-kva.de'],
  ['jo@ｍüller。de', 'jo@xn--mller-kva.de'],
  ['"jo"@müller.de', 'jo@xn--mller-kva.de'],
  ['"j\\o"@müller.de', 'jo@xn--mller-kva.de'],
  ['jose\u0301@example.com', 'jos\u00e9@example.com'],
  ['"jo at home"@example.com', '"jo at home"@example.com'],
  ['"a@b"@Example.com', '"a@b"@example.com'],
  ['jo@[192.0.2.1]', 'jo@[192.0.2.1]'],
  [undefined, null],
];

for (const [given, normalized] of emails) {
  test(`the email ${JSON.stringify(given)} is compared as ${normalized}`, (t) => {
    t.is(normalizeEmail(given), normalized);
  });
}

for (const [text, isValid] of [
  ['ada@example.com', true],
  [" o'neil+tag@example.com\n", true],
  ['', true],
  [' \u00a0', true],
  ['"jo at home"@example.com', true],
  ['"a\\"b@c"@example.com', true],
  ['""@example.com', false],
  ['jo@[192.0.2.1]', true],
  ['jo@[IPv6:2001:db8::7]', true],
  ['jo@[192.0.2.256]', false],
  ['用户@例子.中国', true],
  ['j\u200bo@example.com', false],
  ['jo@exam\u00adple.com', false],
  ['jo\ufe0f@example.com', false],
  ['j\u202eo@example.com', false],
  ['j\u3164o@example.com', false],
  ['jo\0@example.com', false],
  ['jo@example.com\r\nBcc: a@b.co', false],
  ['jo at home@example.com', false],
  ['a@b@example.com', false],
  ['jo\u037ea@example.com', false],
  ['.jo@example.com', false],
  ['jo..ann@example.com', false],
  ['jo@example', false],
  ['jo@example.com.', false],
  ['jo@-example.com', false],
  ['jo@example.1', false],
  ['jo', false],
] as const) {
  test(`${JSON.stringify(text)} is ${isValid ? 'an' : 'no'} email address or blank`, (t) => {
    t.is(isEmail(text), isValid);
  });
}

test('what is valid stays valid in the form in which it is compared', (t) => {
  const local = fc.stringMatching(/^(?:[a-zA-Z\u00c0-\u02af!#'*+.-]{1,20}|"[ -!#-Z^-~]{1,20}")$/);
  const domain = fc.stringMatching(/^[a-zA-Z\u00c0-\u02af]{1,20}\.(?:com|DE|\u00e9t\u00e9)$/);
  fc.assert(
    fc.property(local, domain, (one, other) => {
      const address = `${one}@${other}`;
      fc.pre(isEmail(address));
      const normal = normalizeEmail(address) ?? '';
      return isEmail(normal) && normalizeEmail(normal) === normal;
    }),
  );
  t.pass();
});

test('an email that is only whitespace counts as absent', (t) => {
  t.is(normalizeEmail('\u00a0\t\u3000'), null);
});

const phones: [given: string | undefined, country: string | null, normalized: string | null][] = [
  ['(213) 373-4253', 'US', '+12133734253'],
  ['1-213-373-4253', 'US', '+12133734253'],
  ['+12133734253', 'US', '+12133734253'],
  ['  +1 213 373 4253  ', 'US', '+12133734253'],
  ['030 901820', 'DE', '+4930901820'],
  ['+49 30 901820', 'US', '+4930901820'],
  ['0044 20 7946 0958', 'GB', '+442079460958'],
  ['+1 213 373 4253 ext. 5', 'US', '+12133734253'],
  ['+1２１３３７３４２５３', 'US', '+12133734253'],
  ['1-800-FLOWERS', 'US', '+18003569377'],
  ['1-800-flowers', 'US', '+18003569377'],
  ['1-800-CONTACTS', 'US', '180026682287'],
  ['(415) 555-CALL', 'US', '+14155552255'],
  ['4155552671 call', 'US', '+14155552671'],
  ['1-800-FLOWERS', 'NU', '18003569377'],
  ['12-345', 'US', null],
  ['0', 'US', null],
  ['000', 'US', null],
  ['１２３', 'US', null],
  ['n/a 1', 'US', null],
  ['n/a', 'US', null],
  ['unknown', 'US', null],
  ['not available 12', 'US', null],
  ['call 12 or 34', 'US', null],
  ['1234567', 'US', '1234567'],
  ['0000000000', 'US', null],
  ['999-999-9999', 'US', null],
  ['+1 111 111 1111', 'US', null],
  ['+52 1 55 1234 5678', 'US', '+525512345678'],
  ['+52 55 1234 5678', 'US', '+525512345678'],
  ['55 1234 5678', 'MX', '+525512345678'],
  ['1 55 1234 5678', 'MX', '+525512345678'],
  ['123456', 'US', null],
  ['213-373-4253', 'XX', '2133734253'],
  ['213-373-4253', null, '2133734253'],
  ['+1 213-373-4253', null, '+12133734253'],
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

test('a phone number is the same in any script', (t) => {
  t.is(normalizePhone('٢١٣٣٧٣٤٢٥٣', 'US'), '+12133734253');
  for (const digits of ['١٢٣٤٥٦٧', '۱۲۳۴۵۶۷', '१२३४५६७', '１２３４５６７', '𝟏𝟐𝟑𝟒𝟓𝟔𝟕', '༡༢༣༤༥༦༧']) {
    t.is(normalizePhone(digits, 'US'), '1234567', digits);
  }
});

test('fewer than seven digits never identify anybody who has no valid number', (t) => {
  const digit = fc.constantFrom(...'09٣७７𝟗๔');
  const noise = fc.string({ unit: fc.constantFrom(...'ab-/ .№é') });
  fc.assert(
    fc.property(fc.array(fc.tuple(noise, digit), { maxLength: 2 }), (parts) => {
      return normalizePhone(parts.flat().join(''), 'US') === null;
    }),
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

test('nobody is no customer', (t) => {
  t.throws(() => customerIdentity({ email: null, phone: null }), {
    code: 'VALIDATION_FAILED',
    message: /^customer\.phone /,
  });
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
  t.false(containsContact('0170 1234567', null));
  t.true(containsContact('+49 170 1234567', null));
});

test('an order is named as its workflow is, by its short form or its id', (t) => {
  const short = shortOrderName('a'.repeat(26));
  const named = (name: string) => purchaseWorkflowId(name, 'LIVE', 'hash');
  t.is(orderNameOf({ externalOrderId: 'jane@a.co', workflowId: named(short) }), short);
  t.is(orderNameOf({ externalOrderId: 'order-7', workflowId: named('order-7') }), 'order-7');
  t.is(orderNameOf({ externalOrderId: 'A 1', workflowId: named('A 1') }), 'A 1');
});
