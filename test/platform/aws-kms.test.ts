import { createSecretKey, randomBytes } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { ConfigError } from '../../platform/config.ts';
import { unwrapMasterKeys, wrapMasterKey } from '../../platform/key-providers.ts';
import { createSealer } from '../../platform/sealing.ts';
import { startKms } from './helpers/kms.ts';

const arn = 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const wrappedBy = { provider: 'aws-kms', name: arn } as const;
const credentials = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const settings = {
  vault: { address: undefined, token: undefined, role: undefined, jwtFile: '' },
};

let kms: Awaited<ReturnType<typeof startKms>>;
test.before(async () => {
  kms = await startKms(credentials);
  process.env.AWS_ENDPOINT_URL_KMS = kms.url;
  process.env.AWS_ACCESS_KEY_ID = credentials.id;
  process.env.AWS_SECRET_ACCESS_KEY = credentials.secret;
});
test.after.always(() => kms?.stop());

const aKey = (id: string) => ({ id, key: createSecretKey(randomBytes(32)) });
const unwrapped = async (...given: Parameters<typeof unwrapMasterKeys>[0]) =>
  await unwrapMasterKeys(given, settings);

test.serial('a key that AWS KMS wrapped opens to itself, under its own id', async (t) => {
  const id = fc.stringMatching(/^[\w-]{1,32}$/);
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
  await fc.assert(
    fc.asyncProperty(id, id, bytes, async (own, other, key) => {
      const plain = { id: own, key: createSecretKey(Buffer.from(key)) };
      const wrapped = await wrapMasterKey(plain, wrappedBy, settings);
      t.false(wrapped.wrapped.includes(Buffer.from(key).toString('base64')));
      const [opened] = await unwrapped(wrapped);
      t.true(opened?.key.equals(plain.key));
      if (other !== own) await t.throwsAsync(unwrapped({ ...wrapped, id: other }));
    }),
    { numRuns: 20 },
  );
  const [first] = kms.calls;
  t.like(first, { target: 'TrentService.Encrypt', input: { KeyId: arn } });
});

test.serial('what was sealed with a key in clear opens once the key is wrapped', async (t) => {
  const key = aKey('2026');
  const sealed = createSealer([key]).seal('a secret', 'key_1');
  const keys = await unwrapped(await wrapMasterKey(key, wrappedBy, settings));
  t.is(createSealer(keys).open(sealed, 'key_1'), 'a secret');
});

test.serial('a KMS that fails for a moment is asked again', async (t) => {
  const wrapped = await wrapMasterKey(aKey('2026'), wrappedBy, settings);
  const before = kms.calls.length;
  kms.failures.push({ status: 500, body: { __type: 'KMSInternalException' } });
  kms.failures.push({ status: 400, body: { __type: 'ThrottlingException' } });
  t.is((await unwrapped(wrapped)).length, 1);
  t.is(kms.calls.length - before, 3);
});

test.serial('a refusal ends the start, and names the setting and the id, but no key', async (t) => {
  const key = aKey('2026');
  const wrapped = await wrapMasterKey(key, wrappedBy, settings);
  const before = kms.calls.length;
  const message = 'User is not authorized to perform: kms:Decrypt';
  kms.failures.push({ status: 400, body: { __type: 'AccessDeniedException', message } });
  const error = await t.throwsAsync(unwrapped(aKey('2025'), wrapped), { instanceOf: ConfigError });
  t.is(kms.calls.length - before, 1);
  t.is(
    error.message,
    `The key “2026” in MASTER_KEYS was not unwrapped by aws-kms:${arn}: AccessDeniedException: ${message}`,
  );
});

test.serial('what is not a key of 32 bytes is refused', async (t) => {
  const short = { id: 'k1', key: createSecretKey(randomBytes(16)) };
  const wrapped = await wrapMasterKey(short, wrappedBy, settings);
  await t.throwsAsync(unwrapped(wrapped), { message: /16 bytes instead of 32/ });
});

test.serial('requests are signed with the credentials of the environment', async (t) => {
  const wrapped = await wrapMasterKey(aKey('k1'), wrappedBy, settings);
  t.teardown(() => {
    process.env.AWS_SECRET_ACCESS_KEY = credentials.secret;
  });
  process.env.AWS_SECRET_ACCESS_KEY = 'another';
  await t.throwsAsync(unwrapped(wrapped), { message: /InvalidSignature/ });
});
