import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { createRequestHashes, customerIdOf, newToken, sha256Hex } from '../../platform/hashing.ts';

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
