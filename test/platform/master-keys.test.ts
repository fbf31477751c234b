import { createSecretKey } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { formatMasterKey, parseMasterKey, parseWrappingKey } from '../../platform/master-keys.ts';
import { createSealer } from '../../platform/sealing.ts';

const arn = 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const base64 = fc
  .uint8Array({ minLength: 1 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,32}$/);
const key = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => createSecretKey(Buffer.from(bytes)));
const byVault = fc.record({
  wrappedBy: fc.constantFrom('transit/events', 'teams/shop/transit/master-keys').map((name) => ({
    provider: 'vault' as const,
    name,
  })),
  wrapped: fc.tuple(fc.nat(), base64).map(([version, text]) => `vault:v${version}:${text}`),
});
const byAws = fc.record({
  wrappedBy: fc.constant({ provider: 'aws-kms' as const, name: arn }),
  wrapped: base64,
});

test('a master key that is written is read as the same, in clear and wrapped', (t) => {
  const wrapped = fc.tuple(id, fc.oneof(byVault, byAws)).map(([own, by]) => ({ id: own, ...by }));
  fc.assert(
    fc.property(wrapped, (given) => {
      t.deepEqual(parseMasterKey(formatMasterKey(given)), given);
    }),
  );
  fc.assert(
    fc.property(id, key, (own, bytes) => {
      const read = parseMasterKey(formatMasterKey({ id: own, key: bytes }));
      return read !== null && 'key' in read && read.id === own && read.key.equals(bytes);
    }),
  );
});

for (const text of [
  '',
  'k1',
  'k1:short',
  'k1:vault:transit/events',
  'k1:vault:transit/events:AAAA',
  'k1:vault:transit:vault:v1:AAAA',
  'k1:vault:../sys/events:vault:v1:AAAA',
  'k1:vault:transit/events?x=1:vault:v1:AAAA',
  `k1:aws-kms:${arn}:`,
  'k1:aws-kms:alias/events:AAAA',
  'k1:gcp-kms:events:AAAA',
  ` k1:aws-kms:${arn}:AAAA`,
]) {
  test(`“${text}” is no master key`, (t) => {
    t.is(parseMasterKey(text), null);
  });
}

test('a wrapping key is named with its provider', (t) => {
  t.deepEqual(parseWrappingKey('vault:transit/events'), {
    provider: 'vault',
    name: 'transit/events',
  });
  t.deepEqual(parseWrappingKey(`aws-kms:${arn}`), { provider: 'aws-kms', name: arn });
  for (const text of ['vault:transit', 'aws-kms:events', 'transit/events', '']) {
    t.is(parseWrappingKey(text), null, text);
  }
});

test('nothing is sealed with a key that is still wrapped', (t) => {
  const given = parseMasterKey(`k1:aws-kms:${arn}:AAAA`);
  t.throws(() => createSealer(given === null ? [] : [given]), { message: /“k1” is still wrapped/ });
});
