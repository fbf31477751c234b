import test from 'ava';
import { enrollSecondFactor, savePasskey } from '../../models/identity/second-factors.ts';
import type { UserDoc } from '../../models/schemas/people.ts';
import { execute } from '../../operations/execute.ts';
import * as operations from '../../operations/passkeys.ts';
import { newId } from '../../platform/ids.ts';
import { relyingPartyOf, verifyCreation } from '../../platform/passkeys.ts';
import { type Service, startService } from '../helpers/service.ts';
import { Authenticator, passkeyOptions } from './helpers/authenticator.ts';
import { type Browser, textOf } from './helpers/browser.ts';
import { sandbox } from './helpers/partner-in-review.ts';
import { anOperator, aUser, signedIn } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';

const origin = 'http://localhost:3001';
const adding = '/second-factor/passkeys/new';
const giving = '/second-factor/passkey';
let service: Service;
let portal: TestPortal;
let partnerId: string;

test.before(async () => {
  service = await startService();
  const config = configOf(service, { PORTAL_URL: origin });
  portal = await startPortal(service, { config }, { address: 100_000 });
  ({ partnerId } = await service.partner());
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const factorOf = async ({ _id }: UserDoc) =>
  (await portal.deps.models.users.findById(_id).orFail()).secondFactor;

const isStrong = async (user: UserDoc) =>
  (await portal.deps.models.sessions.exists({
    userId: user._id,
    secondFactorAt: { $ne: null },
  })) !== null;

/** Stores a passkey without using the pages. */
async function withPasskey(user: UserDoc, authenticator = new Authenticator(origin)) {
  const relyingParty = relyingPartyOf(origin) ?? { id: '', origin };
  const challenge = 'c3RvcmVk';
  const json = authenticator.create({ challenge, rp: relyingParty });
  const verified = await verifyCreation({ relyingParty, challenge }, json);
  if (verified === null) throw new Error('the passkey was not accepted');
  const { models, config } = portal.deps;
  const passkey = {
    _id: newId('passkey'),
    name: 'Laptop',
    ...verified,
    createdAt: new Date(),
    lastUsedAt: null,
  };
  const { customerHashKey } = config;
  const codes = await savePasskey({ models, customerHashKey }, user._id, passkey);
  return { authenticator, passkey, codes: codes ?? [] };
}

/** A user with a passkey and no app, and a browser in which it was not entered. */
async function passkeyUser(user?: UserDoc) {
  const whose = user ?? (await aUser(portal, { partnerId }));
  const stored = await withPasskey(whose);
  const browser = await signedIn(portal, whose, { isStrong: false });
  await browser.open('/second-factor?to=/team');
  return { user: whose, browser, ...stored };
}

/** Enters the emailed code that a first factor takes, and opens the page where a passkey is added. */
async function proveByMail(browser: Browser, user: UserDoc) {
  await browser.open(adding);
  await browser.submit('/second-factor/email', {});
  const { text = '' } = portal.mails.findLast(({ to }) => to === user.email) ?? {};
  await browser.submit('/second-factor/email/code', { code: /^\d{6}$/m.exec(text)?.[0] ?? '' });
  return await browser.open(adding);
}

async function addOwn(browser: Browser, authenticator: Authenticator, name = 'Laptop') {
  const credential = authenticator.create(await passkeyOptions(browser, 'ADD'));
  return await browser.submit(adding, { name, credential });
}

test('a passkey is added as the first factor, and shows recovery codes once', async (t) => {
  for (const user of [await aUser(portal, { partnerId }), await anOperator(portal)]) {
    const browser = await signedIn(portal, user, { isStrong: false });
    await proveByMail(browser, user);
    const authenticator = new Authenticator(origin);
    const shown = await addOwn(browser, authenticator);
    const [, codes = ''] = /Recovery codes"><code>([^<]+)</.exec(shown.html) ?? [];
    t.is(codes.split('\n').length, 10);
    const { sealedSecret, passkeys, recoveryCodeHashes } = (await factorOf(user)) ?? {};
    t.is(sealedSecret, null);
    t.like(passkeys, [
      { name: 'Laptop', credentialId: authenticator.id, counter: 1, transports: ['internal'] },
    ]);
    t.is(recoveryCodeHashes?.length, 10);
    t.true(await isStrong(user), 'adding it counts as entering it');
    const { text } = textMailTo(user);
    t.regex(text, /A passkey was added to your account/);
    const actorId = user.operatorId ?? user._id;
    const entry = { actorId, action: 'own-passkey.add', status: 'DONE' } as const;
    t.truthy(await portal.deps.models.auditEntries.findOne(entry));
  }
});

const textMailTo = ({ email }: UserDoc) => {
  const mail = portal.mails.findLast(({ to }) => to === email);
  if (!mail) throw new Error('there was no email');
  return mail;
};

test('a password alone adds no first passkey: it takes an emailed code', async (t) => {
  const user = await aUser(portal, { partnerId });
  const thief = await signedIn(portal, user, { isStrong: false });
  t.regex((await thief.open(adding)).path, /^\/second-factor\/email/);
  const authenticator = new Authenticator(origin);
  const credential = authenticator.create(await passkeyOptions(thief, 'ADD'));
  const sent = { name: 'Mine', credential };
  const { headers } = await thief.post(adding, sent);
  t.is(headers.get('location'), '/second-factor/email?to=%2Faccount');
  const { _id: sessionId } = await portal.deps.models.sessions
    .findOne({ userId: user._id })
    .orFail();
  const actor = { kind: 'user', id: user._id, role: 'owner', partnerId } as const;
  await t.throwsAsync(
    execute(
      portal.deps,
      operations.addPasskey,
      { ...actor, requestId: 'req_test', factor: null },
      { ...sent, sessionId },
    ),
    { code: 'FORBIDDEN' },
  );
  t.is(await factorOf(user), null);
});

test('a passkey is entered in place of a code, and renews the cookie', async (t) => {
  const { user, browser, authenticator } = await passkeyUser();
  const before = browser.cookies.get('session');
  const options = await passkeyOptions(browser, 'GIVE');
  t.like(options, { allowCredentials: [{ id: authenticator.id }], userVerification: 'required' });
  const shown = await browser.submit(giving, { credential: authenticator.get(options) });
  t.is(shown.path, '/team');
  t.not(browser.cookies.get('session'), before);
  const [passkey] = (await factorOf(user))?.passkeys ?? [];
  t.is(passkey?.counter, 2);
  t.truthy(passkey?.lastUsedAt);
  const entry = { actorId: user._id, action: 'own-passkey.give', status: 'DONE' } as const;
  t.truthy(await portal.deps.models.auditEntries.findOne(entry));
});

test('a passkey is accepted only for this session’s challenge, here, and of a verified user', async (t) => {
  const { user, browser, authenticator } = await passkeyUser();
  const send = async (credential: string) => {
    const { status } = await browser.submit(giving, { credential });
    t.false(await isStrong(user));
    return status;
  };
  for (const differences of [
    { challenge: 'AAAA' },
    { origin: 'http://localhost:3002' },
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { isVerified: false },
    { counter: 1 },
    { counter: 0 },
    { type: 'webauthn.create' },
  ]) {
    const credential = authenticator.get(await passkeyOptions(browser, 'GIVE'), differences);
    t.is(await send(credential), 400, JSON.stringify(differences));
  }
  const options = await passkeyOptions(browser, 'GIVE');
  t.is(await send(new Authenticator(origin).get(options)), 400, 'an unknown passkey');
  t.is(await send(authenticator.get(options)), 400, 'the challenge was used up');
  const other = await signedIn(portal, user, { isStrong: false });
  await other.open('/second-factor');
  await passkeyOptions(browser, 'GIVE');
  const ofOther = authenticator.get(await passkeyOptions(other, 'GIVE'));
  t.is(await send(ofOther), 400, 'the challenge of another session');
  for (const text of ['{}', 'null', '[', '{"id":1}', `{"id":"${authenticator.id}"}`]) {
    await passkeyOptions(browser, 'GIVE');
    t.is(await send(text), 400, text);
  }
  t.is((await browser.submit(giving, {})).status, 422, 'without JavaScript');
  t.like((await factorOf(user))?.passkeys, [{ counter: 1, lastUsedAt: null }]);
});

test('another user’s passkey is not accepted', async (t) => {
  const { browser, user } = await passkeyUser();
  const { authenticator } = await passkeyUser();
  const credential = authenticator.get(await passkeyOptions(browser, 'GIVE'));
  t.is((await browser.submit(giving, { credential })).status, 400);
  t.false(await isStrong(user));
});

test('a signature works once, even in two concurrent requests', async (t) => {
  const { browser, authenticator } = await passkeyUser();
  const credential = authenticator.get(await passkeyOptions(browser, 'GIVE'));
  const sent = await Promise.all([1, 2].map(() => browser.post(giving, { credential })));
  t.deepEqual(sent.map(({ status }) => status).toSorted(), [303, 400]);
});

test.serial('a challenge is valid for five minutes', async (t) => {
  t.teardown(() => portal.setClockOffsetMs(0));
  const { browser, authenticator } = await passkeyUser();
  for (const [minutes, status] of [
    [6, 400],
    [4, 303],
  ] as const) {
    portal.setClockOffsetMs(0);
    const credential = authenticator.get(await passkeyOptions(browser, 'GIVE'));
    portal.setClockOffsetMs(minutes * 60_000);
    t.is((await browser.post(giving, { credential })).status, status, `${minutes} minutes`);
  }
});

test('a new passkey is accepted only if its user was verified here, and only once', async (t) => {
  const user = await aUser(portal, { partnerId });
  const { authenticator: known } = await withPasskey(user);
  const browser = await signedIn(portal, user);
  await browser.open(adding);
  for (const differences of [
    { challenge: 'AAAA' },
    { origin: 'https://evil.example' },
    { rpId: 'evil.example' },
    { isVerified: false },
    { type: 'webauthn.get' },
  ]) {
    const options = await passkeyOptions(browser, 'ADD');
    const credential = new Authenticator(origin).create(options, differences);
    const { status } = await browser.submit(adding, { name: 'Phone', credential });
    t.is(status, 400, JSON.stringify(differences));
  }
  t.is((await addOwn(browser, known)).status, 409, 'it is there already');
  t.is((await factorOf(user))?.passkeys?.length, 1);
  t.is((await addOwn(browser, new Authenticator(origin), 'Phone')).path, '/account');
  t.regex(textOf(browser.shown?.html ?? ''), /Laptop .* Phone/);
  t.is((await factorOf(user))?.recoveryCodeHashes.length, 10, 'recovery codes stay');
});

test('a user has at most ten passkeys', async (t) => {
  const user = await aUser(portal, { partnerId });
  for (let nth = 0; nth < 10; nth++) await withPasskey(user);
  const browser = await signedIn(portal, user);
  await browser.open(adding);
  t.is((await addOwn(browser, new Authenticator(origin))).status, 409);
  t.is((await factorOf(user))?.passkeys?.length, 10);
});

test('a user with passkeys alone enters a recovery code where they have none at hand', async (t) => {
  const { browser, codes } = await passkeyUser();
  t.is((await browser.submit('/second-factor', { code: '000000' })).status, 400);
  t.is((await browser.submit('/second-factor', { code: codes[0] ?? '' })).path, '/team');
});

test('setting up an authenticator app keeps the passkeys', async (t) => {
  const { user, authenticator } = await passkeyUser();
  const { deps } = portal;
  const { customerHashKey } = deps.config;
  const app = { secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', step: 1 };
  await enrollSecondFactor({ ...deps, customerHashKey }, user._id, app);
  const factor = await factorOf(user);
  t.truthy(factor?.sealedSecret);
  t.like(factor?.passkeys, [{ credentialId: authenticator.id }]);
});

/** Removes a passkey on the account page, shortly after entering the second factor. */
async function remove(user: UserDoc, passkeyId: string) {
  const browser = await signedIn(portal, user);
  await browser.open('/account');
  return await browser.post(`/account/passkeys/${passkeyId}/remove`);
}

test('a passkey is removed, but not the last factor of somebody who needs one', async (t) => {
  const live = await service.partner({ mode: 'LIVE' });
  for (const user of [
    await anOperator(portal),
    await aUser(portal, { partnerId: live.partnerId, role: 'viewer' }),
  ]) {
    const [one, other] = [await withPasskey(user), await withPasskey(user)];
    t.is((await remove(user, one.passkey._id)).status, 303);
    t.regex(textMailTo(user).text, /A passkey was removed from your account/);
    t.is((await remove(user, other.passkey._id)).status, 409);
    t.like((await factorOf(user))?.passkeys, [{ _id: other.passkey._id }]);
  }
});

test('two passkeys removed at once leave one to somebody who needs a factor', async (t) => {
  const user = await anOperator(portal);
  const both = [await withPasskey(user), await withPasskey(user)];
  const sent = await Promise.all(both.map(({ passkey }) => remove(user, passkey._id)));
  t.deepEqual(sent.map(({ status }) => status).toSorted(), [303, 409]);
  t.is((await factorOf(user))?.passkeys?.length, 1);
});

test('before LIVE, the last passkey can be removed, which ends the second factor', async (t) => {
  const inTest = await service.partner({ partner: { goLive: sandbox } });
  const user = await aUser(portal, { partnerId: inTest.partnerId });
  const { passkey } = await withPasskey(user);
  t.is((await remove(user, passkey._id)).status, 303);
  t.is(await factorOf(user), null);
});

test('an authenticator app is enough to remove the last passkey', async (t) => {
  const user = await anOperator(portal);
  const { passkey } = await withPasskey(user);
  const app = { 'secondFactor.sealedSecret': 'sealed' };
  await portal.deps.models.users.updateOne({ _id: user._id }, { $set: app });
  t.is((await remove(user, passkey._id)).status, 303);
  t.like(await factorOf(user), { sealedSecret: 'sealed', passkeys: [] });
});

test('challenges are limited', async (t) => {
  const { config } = portal.deps;
  const strict = await startPortal(service, { config }, { passkeys: 2 });
  t.teardown(() => strict.stop());
  const user = await aUser(portal, { partnerId });
  const browser = await signedIn(strict, user);
  await browser.open(adding);
  const { shown } = browser;
  const statuses: number[] = [];
  for (let nth = 0; nth < 3; nth++) {
    browser.shown = shown;
    const { status } = await browser.post('/second-factor/passkeys/options', { use: 'ADD' });
    statuses.push(status);
  }
  t.deepEqual(statuses, [200, 200, 429]);
});

for (const url of ['http://127.0.0.1:3001', 'https://[::1]:3001', 'http://portal.example']) {
  test(`at ${url} there are no passkeys, and the pages say why`, async (t) => {
    const config = { ...portal.deps.config, portal: { ...portal.deps.config.portal, url } };
    const elsewhere = await startPortal(service, { config });
    t.teardown(() => elsewhere.stop());
    const user = await aUser(portal, { partnerId });
    await withPasskey(user);
    const browser = await signedIn(elsewhere, user);
    browser.cookies.set('__Host-session', browser.cookies.get('session') ?? '');
    for (const path of ['/account', adding]) {
      const { html } = await browser.open(path);
      t.regex(textOf(html), /Passkeys do not work at/, path);
      t.false(html.includes('data-passkey'), path);
    }
    t.false((await browser.open('/second-factor')).html.includes('data-passkey'));
    const { status } = await browser.post('/second-factor/passkeys/options', { use: 'GIVE' });
    t.is(status, 409);
  });
}
