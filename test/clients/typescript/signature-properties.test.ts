import test from 'ava';
import fc from 'fast-check';
import { canonicalString, sign, verifySignature } from '../../../clients/typescript/signature.ts';
import { anyCharacter } from './helpers/any-character.ts';
import { anyPath } from './helpers/any-path.ts';

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
