import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import {
  codeUri,
  createRequestHashes,
  customerIdOf,
  newCodeSecret,
  newToken,
  sha256Hex,
  stepOfCode,
} from '../../platform/hashing.ts';
import type { MasterKey } from '../../platform/master-keys.ts';
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

const hashKey = createSecretKey(randomBytes(32));
const identity = 'email:ada@example.com';

test('a hash is the SHA-256 of the bytes in lowercase hex', (t) => {
  t.is(sha256Hex(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  t.is(sha256Hex('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  t.is(sha256Hex(Buffer.from('ü', 'utf8')), sha256Hex('ü'));
});

test('hashes that detect repeats are keyed: without the key, nobody can test a guess', (t) => {
  const phone = '+14155552671';
  const { ofIdempotencyKey, ofPayload } = createRequestHashes(hashKey);
  const again = createRequestHashes(createSecretKey(hashKey.export()));
  t.is(ofIdempotencyKey(phone), again.ofIdempotencyKey(phone));
  t.is(ofPayload(Buffer.from(phone)), again.ofPayload(Buffer.from(phone)));
  const other = createRequestHashes(createSecretKey(randomBytes(32)));
  const hashes = [
    ofIdempotencyKey(phone),
    ofPayload(Buffer.from(phone)),
    other.ofIdempotencyKey(phone),
    other.ofPayload(Buffer.from(phone)),
    sha256Hex(phone),
  ];
  t.is(new Set(hashes).size, hashes.length);
});

test('a customer of one partner has one key', (t) => {
  t.is(customerIdOf(hashKey, 'prt_1', identity), customerIdOf(hashKey, 'prt_1', identity));
  t.regex(customerIdOf(hashKey, 'prt_1', identity), /^cus_[\w-]{32}$/);
});

test('the same person at two partners has two keys', (t) => {
  t.not(customerIdOf(hashKey, 'prt_1', identity), customerIdOf(hashKey, 'prt_2', identity));
});

test('another hash key gives another customer key', (t) => {
  t.not(
    customerIdOf(hashKey, 'prt_1', identity),
    customerIdOf(createSecretKey(randomBytes(32)), 'prt_1', identity),
  );
});

test('a customer key does not reveal the customer', (t) => {
  const key = customerIdOf(hashKey, 'prt_1', identity);
  t.false(key.includes('ada'));
  t.false(key.includes(sha256Hex(identity).slice(0, 8)));
});

test('no two customers of a partner share a key', (t) => {
  const known = new Map<string, string>();
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (someone) => {
      const key = customerIdOf(hashKey, 'prt_1', someone);
      const first = known.get(key) ?? someone;
      known.set(key, someone);
      return first === someone;
    }),
    { numRuns: 1_000 },
  );
  t.pass();
});

test('a token is 43 URL-safe characters, and new each time', (t) => {
  const tokens = Array.from({ length: 1_000 }, newToken);
  t.is(new Set(tokens).size, tokens.length);
  for (const token of tokens) t.regex(token, /^[A-Za-z0-9_-]{43}$/);
});

/** RFC 6238, appendix B: the secret of SHA-1, in base32, and its codes cut to six digits. */
const rfcSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const rfcCodes: [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
];

for (const [seconds, code] of rfcCodes) {
  test(`at ${seconds} s the code is ${code}, as in the standard`, (t) => {
    const typed = [code, ` ${code}`, code.replace(/^.../, '$& '), code.replace(/^.../, '$&-')];
    for (const text of typed) {
      t.is(stepOfCode(rfcSecret, text, seconds * 1000), Math.floor(seconds / 30), text);
    }
  });
}

test('a clock can be half a minute off, but no more', (t) => {
  const [seconds, code] = [1_111_111_109, '081804'];
  const step = Math.floor(seconds / 30);
  for (const off of [-30, 30]) t.is(stepOfCode(rfcSecret, code, (seconds + off) * 1000), step);
  for (const off of [-90, 90]) t.is(stepOfCode(rfcSecret, code, (seconds + off) * 1000), null);
});

for (const wrong of ['', '12345', '1234567', 'abcdef', '２８７０８２', '-87082']) {
  test(`${JSON.stringify(wrong)} is not a code`, (t) => {
    t.is(stepOfCode(rfcSecret, wrong, 59_000), null);
  });
}

test('a new secret has 160 bits, and its URI names the account', (t) => {
  const secret = newCodeSecret();
  t.regex(secret, /^[A-Z2-7]{32}$/);
  t.not(newCodeSecret(), secret);
  const uri = new URL(codeUri(secret, 'a@b.co'));
  t.is(uri.protocol, 'otpauth:');
  t.is(uri.searchParams.get('secret'), secret);
  t.regex(decodeURIComponent(uri.pathname), /Partner Events:a@b\.co$/);
});
