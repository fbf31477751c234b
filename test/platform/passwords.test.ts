import test from 'ava';
import { hashPassword, verifyPassword } from '../../platform/passwords.ts';

test('a password hash names its algorithm and cost', async (t) => {
  const hash = await hashPassword('correct horse');
  t.regex(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  t.true(await verifyPassword('correct horse', hash));
  t.false(await verifyPassword('correct horsf', hash));
  t.false(await verifyPassword('', hash));
  t.not(await hashPassword('correct horse'), hash, 'each hash has its own salt');
});

test('a hash with other parameters is checked with those', async (t) => {
  const weaker = (await hashPassword('x')).replace('t=2', 't=3');
  t.false(await verifyPassword('x', weaker));
});

test.serial(
  'a burst is hashed two at a time with a short queue, and refused at once beyond it',
  async (t) => {
    const burst = await Promise.allSettled(Array.from({ length: 40 }, () => hashPassword('x')));
    const done = burst.filter(({ status }) => status === 'fulfilled').length;
    t.is(done, 18);
    for (const one of burst) {
      if (one.status === 'rejected') t.is(one.reason.code, 'UNAVAILABLE');
    }
    t.true(
      await verifyPassword('x', await hashPassword('x')),
      'after the burst, passwords are hashed again',
    );
  },
);

test('two encodings of one letter are the same password', async (t) => {
  t.true(await verifyPassword('cafe\u0301 au lait', await hashPassword('caf\u00e9 au lait')));
});

for (const wrong of [
  '',
  'plain',
  '$argon2i$v=19$m=1,t=1,p=1$AAAA$AAAA',
  '$argon2id$v=19$m=1$A$A',
]) {
  test(`${JSON.stringify(wrong)} is not a hash`, async (t) => {
    await t.throwsAsync(verifyPassword('x', wrong), {
      message: /no password hash|not a password hash/,
    });
  });
}
