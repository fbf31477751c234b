import test from 'ava';
import { codeUri, newCodeSecret, stepOfCode } from '../../platform/hashing.ts';

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
    t.is(stepOfCode(rfcSecret, code, seconds * 1000), Math.floor(seconds / 30));
  });
}

test('a clock can be half a minute off, but no more', (t) => {
  const [seconds, code] = [1_111_111_109, '081804'];
  const step = Math.floor(seconds / 30);
  for (const off of [-30, 30]) t.is(stepOfCode(rfcSecret, code, (seconds + off) * 1000), step);
  for (const off of [-90, 90]) t.is(stepOfCode(rfcSecret, code, (seconds + off) * 1000), null);
});

for (const wrong of ['', '12345', '1234567', 'abcdef', '２８７０８２', '287082 ', '-87082']) {
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
