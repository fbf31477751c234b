import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import type { MasterKey } from '../../platform/config.ts';
import { createSealer } from '../../platform/sealing.ts';

const aMasterKey = (id: string): MasterKey => ({ id, key: createSecretKey(randomBytes(32)) });

const oldKey = aMasterKey('2025');
const newKey = aMasterKey('2026');
const sealer = createSealer([oldKey]);
const anyText = fc.string({ unit: 'grapheme', maxLength: 200 });

test('a sealed text opens in its context', (t) => {
  fc.assert(
    fc.property(anyText, anyText, (text, context) => {
      return sealer.open(sealer.seal(text, context), context) === text;
    }),
    { numRuns: 500 },
  );
  t.pass();
});

test('a sealed text hides the text, and no two are the same', (t) => {
  const text = 'ada@example.com';
  const first = sealer.seal(text, 'evt_1');
  t.not(first, sealer.seal(text, 'evt_1'));
  t.false(first.includes(text));
  t.false(first.includes(Buffer.from(text).toString('base64url')));
  t.regex(first, /^v1\.2025\.[\w-]{80}\.[\w-]+$/);
});

test('a sealed text moved to another record does not open', (t) => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (text, context, other) => {
      fc.pre(context !== other);
      return refuses(() => sealer.open(sealer.seal(text, context), other));
    }),
  );
  t.pass();
});

test('a sealed text with any character altered does not open', (t) => {
  for (const text of ['', 'a', 'ab', 'abc', 'a signing secret']) {
    const sealed = sealer.seal(text, 'key_1');
    for (let at = 0; at < sealed.length; at += 1) {
      const replacements = ['A', 'B', '_', '.', '=', ' '].filter((c) => c !== sealed[at]);
      for (const replacement of replacements) {
        const altered = sealed.slice(0, at) + replacement + sealed.slice(at + 1);
        t.throws(() => sealer.open(altered, 'key_1'), undefined, `${replacement} at ${at}`);
      }
    }
  }
});

test('only the right final character opens a sealed text', (t) => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=';
  const sealed = sealer.seal('ab', 'key_1');
  const opened = [...alphabet].filter(
    (letter) => !refuses(() => sealer.open(sealed.slice(0, -1) + letter, 'key_1')),
  );
  t.deepEqual(opened, [sealed.slice(-1)]);
});

test('a sealed text with any bit flipped does not open', (t) => {
  const sealed = sealer.seal('a signing secret', 'key_1');
  const parts = sealed.split('.');
  for (const part of [2, 3]) {
    const bytes = Buffer.from(parts[part] ?? '', 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      const altered = parts.with(part, Buffer.from(flipped).toString('base64url')).join('.');
      t.throws(() => sealer.open(altered, 'key_1'), undefined, `part ${part}, bit ${bit}`);
    }
  }
});

test('a truncated or lengthened sealed text does not open', (t) => {
  const sealed = sealer.seal('a signing secret', 'key_1');
  for (let length = 0; length < sealed.length; length += 1) {
    t.throws(() => sealer.open(sealed.slice(0, length), 'key_1'), undefined, `${length}`);
  }
  for (const extra of ['A', '.', '.A', '=', '\n', ' ']) {
    t.throws(() => sealer.open(sealed + extra, 'key_1'), undefined, JSON.stringify(extra));
  }
});

test('parts of different sealed texts do not open together', (t) => {
  const [version, id, wrapped] = sealer.seal('one', 'key_1').split('.');
  const body = sealer.seal('two', 'key_1').split('.')[3];
  t.throws(() => sealer.open([version, id, wrapped, body].join('.'), 'key_1'));
});

test('after a rotation the new master key seals and the old one still opens', (t) => {
  const rotated = createSealer([newKey, oldKey]);
  const before = sealer.seal('secret', 'key_1');
  const after = rotated.seal('secret', 'key_1');
  t.is(rotated.open(before, 'key_1'), 'secret');
  t.is(rotated.open(after, 'key_1'), 'secret');
  t.true(before.startsWith('v1.2025.'));
  t.true(after.startsWith('v1.2026.'));
});

test('a text sealed with a removed master key does not open, and the error names the key', (t) => {
  const sealed = sealer.seal('secret', 'key_1');
  t.throws(() => createSealer([newKey]).open(sealed, 'key_1'), { message: /"2025"/ });
});

test('another master key with the same name does not open it', (t) => {
  const sealed = sealer.seal('secret', 'key_1');
  t.throws(() => createSealer([aMasterKey('2025')]).open(sealed, 'key_1'));
});

test('unsealed text does not open', (t) => {
  fc.assert(fc.property(anyText, (text) => refuses(() => sealer.open(text, 'key_1'))));
  t.pass();
});

test('a sealer needs a master key', (t) => {
  t.throws(() => createSealer([]), { message: /master key/ });
});

function refuses(open: () => string): boolean {
  try {
    open();
    return false;
  } catch {
    return true;
  }
}
