import test from 'ava';
import fc from 'fast-check';
import { maskEmail, maskPhone, maskValues } from '../../domain/customer.ts';

const emails: [email: string, masked: string][] = [
  ['anna.smith@example.com', 'a•••@e•••.com'],
  ['a@b.co', '•••@•••.co'],
  ['müller@müller.de', 'm•••@m•••.de'],
  ['"odd@name"@example.com', '"•••@e•••.com'],
  ['𝕒nna@localhost', '𝕒•••@l•••'],
  ['no address', '•••'],
];

for (const [email, masked] of emails) {
  test(`${email} shows as ${masked}`, (t) => {
    t.is(maskEmail(email), masked);
  });
}

const phones: [phone: string, masked: string][] = [
  ['+4915112345678', '•••78'],
  ['12345', '•••'],
  ['123456', '•••56'],
  ['', '•••'],
];

for (const [phone, masked] of phones) {
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
