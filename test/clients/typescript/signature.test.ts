import test from 'ava';
import fc from 'fast-check';
import file from '../../../clients/conformance/vectors.json';
import {
  canonicalString,
  headerNames,
  isTimestampFresh,
  sha256Hex,
  sign,
  signedHeaders,
  verifySignature,
} from '../../../clients/typescript/signature.ts';
import { anyCharacter } from './helpers/any-character.ts';
import { anyPath } from './helpers/any-path.ts';

const canonical = 'v1\nGET\n/api/v1/partner/plans\n1700000000\n00';
const request = { method: 'GET', pathname: '/a', timestamp: '1700000000', body: '' };

for (const vector of file.vectors) {
  test(`the client reproduces the published vector: ${vector.name}`, (t) => {
    const { secret, method, pathname, timestamp } = vector;
    const body = Buffer.from(
      vector.body.utf8 ?? vector.body.base64 ?? '',
      vector.body.base64 ? 'base64' : 'utf8',
    );
    t.is(sha256Hex(body), vector.bodySha256);
    t.is(canonicalString({ method, pathname, timestamp, body }), vector.canonical);
    t.is(sign({ secret, method, pathname, timestamp, body }), vector.signature);
    const { signature } = vector;
    t.is(verifySignature({ secrets: [secret], signature, canonical: vector.canonical }), 0);
  });
}

test('the vectors cover every method, an empty body, UTF-8 and invalid UTF-8', (t) => {
  const methods = new Set(file.vectors.map((vector) => vector.method.toUpperCase()));
  t.deepEqual([...methods].sort(), ['DELETE', 'GET', 'PATCH', 'POST', 'PUT']);
  t.true(file.vectors.some((vector) => vector.body.utf8 === ''));
  t.true(file.vectors.some((vector) => vector.body.utf8?.includes('🎁')));
  t.true(file.vectors.some((vector) => vector.body.base64 !== undefined));
});

test('a string body is signed as its UTF-8 bytes', (t) => {
  const body = '{"note":"Grüße 🎁"}';
  t.is(
    canonicalString({ ...request, body }),
    canonicalString({ ...request, body: Buffer.from(body) }),
  );
});

test('with two active secrets, verification returns which one signed', (t) => {
  const line = canonicalString(request);
  const signature = sign({ ...request, secret: 'new' });
  t.is(verifySignature({ secrets: ['new', 'old'], signature, canonical: line }), 0);
  t.is(verifySignature({ secrets: ['old', 'new'], signature, canonical: line }), 1);
  t.is(verifySignature({ secrets: ['a', 'b', 'new'], signature, canonical: line }), 2);
  t.is(verifySignature({ secrets: ['old', 'older'], signature, canonical: line }), -1);
});

test('of two equal secrets, the first is named', (t) => {
  const signature = sign({ ...request, secret: 'same' });
  const line = canonicalString(request);
  t.is(verifySignature({ secrets: ['same', 'same'], signature, canonical: line }), 0);
});

test('without an active secret, no signature verifies', (t) => {
  const signature = sign({ ...request, secret: 'revoked' });
  t.is(verifySignature({ secrets: [], signature, canonical: canonicalString(request) }), -1);
});

test('a malformed signature is refused without an exception', (t) => {
  const good = sign({ ...request, secret: 's' });
  const malformed = [
    '',
    'sha256=',
    good.slice(7),
    good.slice(0, -1),
    `${good}0`,
    `${good}\n`,
    ` ${good}`,
    good.toUpperCase(),
    good.replace('sha256=', 'SHA256='),
    good.replace('sha256=', 'sha1='),
    `sha256=${'g'.repeat(64)}`,
    `sha256=${'é'.repeat(64)}`,
    `${good}, ${good}`,
  ];
  for (const signature of malformed) {
    t.is(verifySignature({ secrets: ['s'], signature, canonical: canonicalString(request) }), -1);
  }
  t.is(verifySignature({ secrets: ['s'], signature: `sha256=${'0'.repeat(64)}`, canonical }), -1);
});

test('the clock window is 300 seconds in both directions', (t) => {
  const at = (nowSeconds: number) => isTimestampFresh({ timestamp: '1700000000', nowSeconds });
  t.true(at(1_700_000_000));
  t.true(at(1_700_000_300));
  t.false(at(1_700_000_301));
  t.true(at(1_699_999_700));
  t.false(at(1_699_999_699));
});

test('the clock window is a parameter', (t) => {
  const stamp = { timestamp: '1700000000', toleranceSeconds: 5 };
  t.true(isTimestampFresh({ ...stamp, nowSeconds: 1_700_000_005 }));
  t.false(isTimestampFresh({ ...stamp, nowSeconds: 1_700_000_006 }));
});

test('a timestamp is a decimal string of whole seconds', (t) => {
  const wrong = [
    '',
    ' 1700000000',
    '1700000000\n',
    '1700000000.0',
    '1.7e9',
    '-1',
    '+1',
    '0x6553f100',
  ];
  for (const timestamp of [...wrong, '1700000000000', '١٧٠٠٠٠٠٠٠٠', 'now', 'NaN']) {
    t.false(isTimestampFresh({ timestamp, nowSeconds: 1_700_000_000, toleranceSeconds: 1e13 }));
  }
});

test('the header names contain the brand word, Partner by default', (t) => {
  t.deepEqual(headerNames(), {
    key: 'X-Partner-Key',
    timestamp: 'X-Partner-Timestamp',
    signature: 'X-Partner-Signature',
  });
  t.is(headerNames('Acme').signature, 'X-Acme-Signature');
});

test('the headers of a POST are its media type, key, timestamp, signature and idempotency key', (t) => {
  const post = { method: 'POST', pathname: '/api/v1/partner/purchases', body: '{}' };
  const headers = signedHeaders({
    ...post,
    key: 'k',
    secret: 's',
    nowSeconds: 1_700_000_000.9,
    idempotencyKey: 'i',
  });
  t.deepEqual(headers, {
    'Content-Type': 'application/json',
    'X-Partner-Key': 'k',
    'X-Partner-Timestamp': '1700000000',
    'X-Partner-Signature': sign({ ...post, timestamp: '1700000000', secret: 's' }),
    'Idempotency-Key': 'i',
  });
});

test('the headers of a GET have no media type and no idempotency key', (t) => {
  const get = { method: 'GET', pathname: '/a', body: '', key: 'k', secret: 's', nowSeconds: 1 };
  t.deepEqual(Object.keys(signedHeaders({ ...get, brand: 'Acme' })), [
    'X-Acme-Key',
    'X-Acme-Timestamp',
    'X-Acme-Signature',
  ]);
});

test('a query string is never signed', (t) => {
  const get = { method: 'GET', body: '', key: 'k', secret: 's', nowSeconds: 1 };
  t.throws(() => signedHeaders({ ...get, pathname: '/a?b=1' }), { instanceOf: RangeError });
});

const signed = fc.record({
  secret: fc.string({ minLength: 1, maxLength: 64, unit: anyCharacter }),
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  pathname: anyPath.map((path) => `/${path}`),
  timestamp: fc.nat({ max: 999_999_999 }).map(String),
  body: fc.uint8Array({ minLength: 1, maxLength: 512 }),
});

type Signed = typeof signed extends fc.Arbitrary<infer T> ? T : never;

function verifies(request: Signed, signature: string): boolean {
  const canonical = canonicalString(request);
  return verifySignature({ secrets: [request.secret], signature, canonical }) === 0;
}

/** The same text with one of its characters replaced by another. */
function changeCharacter(text: string, position: number): string {
  const index = position % text.length;
  const other = text[index] === '7' ? '8' : '7';
  return text.slice(0, index) + other + text.slice(index + 1);
}

test('every signed request verifies', (t) => {
  fc.assert(fc.property(signed, (request) => verifies(request, sign(request))));
  t.pass();
});

test('changing one byte of the body breaks the signature', (t) => {
  const property = fc.property(
    signed,
    fc.nat(),
    fc.integer({ min: 1, max: 255 }),
    (request, at, flip) => {
      const body = request.body.map((byte, index) =>
        index === at % request.body.length ? byte ^ flip : byte,
      );
      return !verifies({ ...request, body }, sign(request));
    },
  );
  fc.assert(property);
  t.pass();
});

test('adding or removing a byte of the body breaks the signature', (t) => {
  const property = fc.property(signed, fc.nat({ max: 255 }), (request, byte) => {
    const signature = sign(request);
    const longer = { ...request, body: Uint8Array.of(...request.body, byte) };
    const shorter = { ...request, body: request.body.slice(1) };
    return !verifies(longer, signature) && !verifies(shorter, signature);
  });
  fc.assert(property);
  t.pass();
});

for (const field of ['pathname', 'timestamp', 'secret'] as const) {
  test(`changing one character of the ${field} breaks the signature`, (t) => {
    const property = fc.property(signed, fc.nat(), (request, at) => {
      const changed = { ...request, [field]: changeCharacter(request[field], at) };
      return !verifies(changed, sign(request));
    });
    fc.assert(property);
    t.pass();
  });
}

test('another method breaks the signature', (t) => {
  const property = fc.property(signed, (request) => {
    const method = request.method === 'POST' ? 'PUT' : 'POST';
    return !verifies({ ...request, method }, sign(request));
  });
  fc.assert(property);
  t.pass();
});

test('changing one character of the signature breaks it', (t) => {
  const property = fc.property(signed, fc.nat(), (request, at) => {
    return !verifies(request, changeCharacter(sign(request), at));
  });
  fc.assert(property);
  t.pass();
});

test('no random text verifies as a signature, or throws', (t) => {
  const property = fc.property(signed, fc.string({ unit: anyCharacter }), (request, signature) => {
    return !verifies(request, signature);
  });
  fc.assert(property);
  t.pass();
});
