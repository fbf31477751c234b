import test from 'ava';
import fc from 'fast-check';
import { parseJson } from '../../http/json.ts';

const parse = (text: string) => parseJson(Buffer.from(text));

test('JSON is parsed as ever', (t) => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(!text.includes('__proto__'));
      t.deepEqual(parse(text), JSON.parse(text));
    }),
  );
});

test('a byte order mark is named', (t) => {
  for (const [bytes, mark] of [
    [Buffer.from('\ufeff{}'), /byte order mark \(UTF-8\)/],
    [Buffer.from('\ufeff{}', 'utf16le'), /byte order mark \(UTF-16\)/],
    [Buffer.from([0xfe, 0xff, 0, 0x7b, 0, 0x7d]), /byte order mark \(UTF-16\)/],
  ] as const) {
    t.throws(() => parseJson(bytes), { code: 'INVALID_JSON', message: mark });
  }
});

for (const [text, name] of [
  ['{"a":1,"a":1}', 'a'],
  ['{"a":1,"b":{"c":[{"d":1,"d":2}]}}', 'd'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"a\\"":1,"a\\"":2}', 'a"'],
  ['{"":1,"":2}', ''],
  ['{"b":{"a":1},"a":1,"b":2}', 'b'],
  ['{"a" \n:1,"a"\t:2}', 'a'],
] as const) {
  test(`the name repeated in ${text} is refused and named`, (t) => {
    const message = `The body gives the name ${JSON.stringify(name)} twice in one object. Give each name once.`;
    t.throws(() => parse(text), { code: 'INVALID_JSON', message });
  });
}

test('a name may occur again in another object, and as a value', (t) => {
  for (const text of [
    '{"a":{"a":{"a":"a"}},"b":["a","a"]}',
    '[{"a":1},{"a":1}]',
    '{"a":"{\\"a\\":1,\\"a\\":2}","b":"}{"}',
    '{"a":1,"A":2}',
  ]) {
    t.notThrows(() => parse(text), text);
  }
});

test('what is no JSON is refused as before', (t) => {
  for (const text of ['', '{', '{"a":1,}', "{'a':1}"]) {
    t.throws(() => parse(text), {
      code: 'INVALID_JSON',
      message: 'The body is not valid JSON in UTF-8.',
    });
  }
});
