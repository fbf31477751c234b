import test from 'ava';
import fc from 'fast-check';
import {
  canHaveHappened,
  claimUrlOf,
  isInstant,
  isNameable,
  isPrintable,
  metadataProblem,
} from '../../domain/purchase.ts';

test('a claim link is the portal’s address with the token in the path', (t) => {
  t.is(claimUrlOf('https://rewards.example', 'abc'), 'https://rewards.example/claim/abc');
});

type Metadata = Record<string, unknown>;

const purchaseProblem = (metadata: Metadata) =>
  metadataProblem(metadata, { allowCostFields: false });
const refundProblem = (metadata: Metadata) => metadataProblem(metadata, { allowCostFields: true });

/** The forbidden cost fields, as lists of words. */
const forbidden: string[][] = [
  ['cost'],
  ['cost', 'cents'],
  ['unit', 'cost'],
  ['partner', 'cost'],
  ['partner', 'cost', 'cents'],
  ['reward', 'cost'],
  ['reward', 'cost', 'cents'],
  ['cost', 'per', 'point'],
  ['point', 'cost'],
  ['funding', 'cost'],
  ['merchant', 'cost'],
  ['margin'],
  ['commission'],
  ['payout'],
];

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function spellings(words: string[]): string[] {
  const camel = words.map((word, at) => (at === 0 ? word : capitalized(word))).join('');
  return [
    camel,
    words.map(capitalized).join(''),
    words.join(''),
    words.join('_'),
    words.join('-'),
    words.join('_').toUpperCase(),
    words.join('-').toUpperCase(),
    words.map(capitalized).join('-'),
    `_${camel}`,
    `${camel}-`,
    [...words.join('')].join('_'),
    `--${[...words.join('').toUpperCase()].join('-_')}__`,
  ];
}

for (const words of forbidden) {
  const name = spellings([...words])[0];
  test(`a purchase must not contain ${name}, in any spelling and at any depth`, (t) => {
    for (const spelling of spellings(words)) {
      for (const metadata of [
        { [spelling]: 1 },
        { fine: 1, [spelling]: null },
        { a: { b: { [spelling]: { c: 1 } } } },
        { a: [{ b: 1 }, { [spelling]: 1 }] },
        { a: [[[{ [spelling]: 1 }]]] },
        { a: { b: { c: { d: { e: { f: { g: { [spelling]: 1 } } } } } } } },
      ]) {
        t.is(purchaseProblem(metadata)?.code, 'FORBIDDEN_METADATA_FIELD', JSON.stringify(metadata));
        t.is(refundProblem(metadata), undefined, JSON.stringify(metadata));
      }
    }
  });
}

test('the refusal names the field and its path', (t) => {
  t.is(
    purchaseProblem({ basket: [{ sku: 'a' }, { unit_cost: 100 }] })?.message,
    'metadata.basket.1.unit_cost is a partner cost field; remove it from the metadata',
  );
});

test('a name that only contains a partner cost field is allowed', (t) => {
  for (const name of [
    'costume',
    'costs',
    'accost',
    'marginal',
    'commissions',
    'payouts',
    'cost.x',
  ]) {
    t.is(purchaseProblem({ [name]: 1 }), undefined, name);
  }
});

test('a partner cost field as a value is allowed', (t) => {
  t.is(purchaseProblem({ note: 'cost', tags: ['margin', 'payout'] }), undefined);
});

test('a partner cost field under __proto__ is found too', (t) => {
  const metadata: Metadata = JSON.parse('{"__proto__":{"cost":1}}');
  t.is(purchaseProblem(metadata)?.code, 'FORBIDDEN_METADATA_FIELD');
});

test('an event happened from 1970 to a day from now', (t) => {
  const nowMs = Date.parse('2026-03-01T12:00:00Z');
  const cases: [at: string, can: boolean][] = [
    ['1970-01-01T00:00:00Z', true],
    ['1969-12-31T23:59:59Z', false],
    ['1970-01-01T01:00:00+02:00', false],
    ['2026-03-02T12:00:00Z', true],
    ['2026-03-02T12:00:01Z', false],
    ['9999-01-01T00:00:00Z', false],
  ];
  for (const [at, can] of cases) t.is(canHaveHappened(at, nowMs), can, at);
});

test('arbitrary JSON is allowed', (t) => {
  t.is(purchaseProblem({}), undefined);
  t.is(purchaseProblem({ a: null, b: true, c: 1.5, d: 'ü', '': [] }), undefined);
});

/** @param levels of nesting, including the metadata itself */
function nested(levels: number, innermost: unknown, wrap: (inner: unknown) => unknown): Metadata {
  let value = innermost;
  for (let level = levels; level > 2; level -= 1) value = wrap(value);
  return { a: value };
}

const asObject = (inner: unknown) => ({ a: inner });
const asArray = (inner: unknown) => [inner];

for (const [kind, innermost, wrap] of [
  ['objects', { a: 1 }, asObject],
  ['arrays', [1], asArray],
  ['empty objects', {}, asObject],
] as const) {
  test(`metadata of ${kind} can be 8 levels deep, but not 9`, (t) => {
    const tooDeep = {
      code: 'VALIDATION_FAILED',
      message: 'metadata must be at most 8 levels deep',
    } as const;
    t.is(purchaseProblem(nested(8, innermost, wrap)), undefined);
    t.is(refundProblem(nested(8, innermost, wrap)), undefined);
    t.deepEqual(purchaseProblem(nested(9, innermost, wrap)), tooDeep);
    t.deepEqual(refundProblem(nested(9, innermost, wrap)), tooDeep);
  });
}

test('metadata thousands of levels deep is refused without a crash', (t) => {
  t.is(purchaseProblem(nested(30_000, {}, asArray))?.code, 'VALIDATION_FAILED');
});

const tooLarge = {
  code: 'VALIDATION_FAILED',
  message: 'metadata must be at most 16384 bytes of JSON',
} as const;

test('metadata can be 16 KiB, but not a byte more', (t) => {
  const around = '{"a":""}'.length;
  t.is(purchaseProblem({ a: 'x'.repeat(16_384 - around) }), undefined);
  t.is(refundProblem({ a: 'x'.repeat(16_384 - around) }), undefined);
  t.deepEqual(purchaseProblem({ a: 'x'.repeat(16_385 - around) }), tooLarge);
  t.deepEqual(refundProblem({ a: 'x'.repeat(16_385 - around) }), tooLarge);
});

test('the 16 KiB are bytes, not characters', (t) => {
  const around = '{"a":""}'.length;
  t.is(purchaseProblem({ a: 'ü'.repeat((16_384 - around) / 2) }), undefined);
  t.deepEqual(purchaseProblem({ a: `${'ü'.repeat((16_384 - around) / 2)}x` }), tooLarge);
});

test('a partner cost field anywhere in any metadata is found', (t) => {
  const spelling = fc.constantFrom(...forbidden.flatMap(spellings));
  const harmless = fc.jsonValue({ maxDepth: 2, noUnicodeString: true });
  const steps = fc.array(fc.oneof(fc.constant('array'), fc.constantFrom('a', 'b', 'items')), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(spelling, harmless, steps, (name, value, path) => {
      const found = path.reduce<unknown>(
        (inner, step) => (step === 'array' ? [1, inner] : { first: 1, [step]: inner }),
        { [name]: value },
      );
      const metadata = { found };
      return purchaseProblem(metadata)?.code === 'FORBIDDEN_METADATA_FIELD';
    }),
  );
  t.pass();
});

const instants = [
  '2026-01-31T09:30Z',
  '2026-01-31T09:30:15Z',
  '2026-01-31T09:30:15.1Z',
  '2026-01-31T09:30:15.123456789Z',
  '2026-01-31T09:30:00+01:00',
  '2026-01-31T09:30:00-0530',
  '9999-12-31T23:59:59Z',
  '0000-01-01T00:00:00Z',
];

for (const text of instants) test(`${text} is an instant`, (t) => t.true(isInstant(text)));

const others = [
  '',
  '2026-01-31',
  '2026-01-31T09:30:00',
  '2026-01-31 09:30:00Z',
  ' 2026-01-31T09:30:00Z',
  '2026-01-31T09:30:00Z ',
  '+002026-01-31T09:30:00Z',
  '2026-01-31T09:30:00ZZ',
  '2026-01-31T09:30:15.Z',
  '2026-01-31T09:30:15.1234567891Z',
  '2026-02-30T09:30:00Z',
  '2026-01-31T25:30:00Z',
  '2026-01-31T09:30:00+99:00',
  // In UTC, the year would have five digits, or be negative.
  '9999-12-31T23:59:59-01:00',
  '0000-01-01T00:00:00+01:00',
];

for (const text of others) {
  test(`${JSON.stringify(text)} is not an instant`, (t) => t.false(isInstant(text)));
}

test('a step in a path is no id', (t) => {
  for (const text of ['.', '..']) t.false(isNameable(text), text);
  for (const text of ['...', '.A', 'A..']) t.true(isNameable(text), text);
});

test('control characters and lone surrogates cannot be printed', (t) => {
  for (const text of ['A1', 'Bestellung ä 🎁', '~', ' ']) t.true(isPrintable(text), text);
  for (const text of ['\u0000', 'a\nb', 'a\u001fb', 'a\u007f', 'a\ud83c']) {
    t.false(isPrintable(text), JSON.stringify(text));
  }
});
