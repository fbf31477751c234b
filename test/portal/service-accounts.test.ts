import test from 'ava';
import { replacedTokenMs } from '../../domain/partners.ts';
import { createServiceAccount } from '../../operations/service-accounts.ts';
import { removeUser } from '../../operations/users.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { operate } from '../helpers/operate.ts';
import { Operator } from '../helpers/operator.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Browser, textOf } from './helpers/browser.ts';
import { aUser, signedIn } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
let passedMs = 0;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service, { now: () => Date.now() + passedMs });
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

async function ask(token: string, path: string, method = 'GET') {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(portal.url + path, { redirect: 'manual', method, headers });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) };
}

const statusOf = async (token: string, path = '/events') => (await ask(token, path)).status;

const tokenIn = (html: string): string => /psa_[\w-]{43}/.exec(html)?.[0] ?? '';

async function accountOf(
  partnerId: string,
  changes: { reads?: ('log:read' | 'rewards:read')[]; mode?: 'TEST' | 'LIVE'; days?: number } = {},
) {
  const { reads = ['log:read'], mode = 'TEST', days = null } = changes;
  const fields = { partnerId, mode, name: 'a monitor', reads, days };
  return await operate(portal.deps, createServiceAccount, fields);
}

async function makeByPage(browser: Browser, name: string) {
  const path = '/service-accounts/new';
  await browser.open(path);
  const fields = { name, mode: 'TEST', reads: ['log:read', 'rewards:read'], days: 'never' };
  const made = await browser.submit(path, fields);
  return { made, token: tokenIn(made.html) };
}

test.serial(
  'a developer creates a service account with the second factor, rotates and revokes it; all is shown, saved and announced',
  async (t) => {
    const { models } = service;
    const shop = await service.partner();
    const { partnerId } = shop;
    await shop.purchase();
    const user = await aUser(portal, { partnerId, role: 'developer' });
    const weak = await signedIn(portal, user, { isStrong: false });
    t.is((await weak.ask('GET', '/service-accounts/new')).status, 303);

    const browser = await signedIn(portal, user);
    await browser.open('/service-accounts/new');
    const refused = await browser.submit('/service-accounts/new', { name: 'x' });
    t.regex(textOf(refused.html), /Select at least one/);
    const { made, token } = await makeByPage(browser, 'nightly <export>');
    t.is(made.path, '/revealed', 'reloading the page creates no second account');
    const account = await models.serviceAccounts.findOne({ partnerId }).orFail();
    t.is(account.tokens[0]?.tokenHash, sha256Hex(token));
    t.false(JSON.stringify(account).includes(token));
    t.is(await statusOf(token), 200);
    const path = `/service-accounts/${account._id}`;
    const ofLive = await browser.open('/keys?mode=LIVE');
    t.notRegex(textOf(ofLive.html), /nightly <export>/);
    const listed = await browser.open('/keys?mode=TEST');
    t.regex(textOf(listed.html), /nightly <export>/);
    t.regex(
      textOf(listed.html),
      /nightly <export> Active Service account log:read, rewards:read \d/,
    );
    t.false(listed.html.includes(token));
    t.truthy((await models.serviceAccounts.findById(account._id))?.tokens[0]?.lastUsedFrom);

    await browser.open(path);
    const second = tokenIn((await browser.submit(`${path}/rotate`)).html);
    t.deepEqual(
      [await statusOf(token), await statusOf(second)],
      [200, 200],
      'both tokens work for a day',
    );
    await browser.open(path);
    const third = tokenIn((await browser.submit(`${path}/rotate`)).html);
    t.deepEqual(
      [await statusOf(token), await statusOf(second)],
      [401, 200],
      'an account has at most two tokens',
    );
    passedMs = replacedTokenMs;
    t.deepEqual(
      [await statusOf(second), await statusOf(third)],
      [401, 200],
      'after that, only the new token works',
    );
    passedMs = 0;

    await browser.open(path);
    t.regex(textOf((await browser.submit(`${path}/revoke`)).html), /Service account revoked/);
    t.is(await statusOf(third), 401);
    t.is((await browser.post(`${path}/rotate`)).status, 409, 'a revoked account gets no token');
    const entries = await models.auditEntries
      .find({ actorId: user._id, targetId: account._id, status: 'DONE' })
      .sort({ _id: 1 });
    t.deepEqual(
      entries.map(({ action }) => action.replace('service-account.', '')),
      ['create', 'rotate', 'rotate', 'revoke'],
    );
    t.false(JSON.stringify(entries).includes(token));

    const viewer = await signedIn(portal, await aUser(portal, { partnerId, role: 'viewer' }));
    t.is((await viewer.ask('GET', '/service-accounts/new')).status, 403);
    t.is((await viewer.ask('GET', path)).status, 200);
  },
);

test('a service account reads within its scopes, its own partner and mode, and writes nothing', async (t) => {
  const shop = await service.partner();
  const other = await service.partner();
  const [mine, theirs] = [aPurchase(), aPurchase({ externalOrderId: 'not yours' })];
  await shop.purchase(mine);
  await other.purchase(theirs);
  await service.allStarted(shop);
  await service.allStarted(other);
  const { token: log } = await accountOf(shop.partnerId);
  const { token: rewards } = await accountOf(shop.partnerId, { reads: ['rewards:read'] });
  const { token: live } = await accountOf(shop.partnerId, {
    ...({ mode: 'LIVE', reads: ['log:read', 'rewards:read'] } as const),
  });

  const requests = (await ask(log, '/events')).body.events;
  t.deepEqual(
    requests.map((one: { externalOrderId: string }) => one.externalOrderId),
    [mine.externalOrderId],
  );
  const listed = await ask(rewards, '/rewards');
  t.like(listed.body.rewards, [
    { mode: 'TEST', externalOrderId: mine.externalOrderId, points: 499, currency: 'USD' },
  ]);
  t.is(listed.body.rewards.length, 1);
  t.false(listed.text.includes(mine.customer.email), 'the list contains no customer’s email');
  t.deepEqual((await ask(live, '/events')).body.events, []);
  t.deepEqual((await ask(live, '/rewards')).body.rewards, []);

  for (const [token, path] of [
    [log, '/rewards'],
    [rewards, '/events'],
    [log, '/events?mode=LIVE'],
    [live, '/rewards?mode=TEST'],
  ] as const) {
    const { status, body } = await ask(token, path);
    t.deepEqual([status, body.error.code], [403, 'FORBIDDEN'], path);
  }
  const all = await accountOf(shop.partnerId, { reads: ['log:read', 'rewards:read'] });
  const rewardId = listed.body.rewards[0].id;
  for (const path of [
    `/orders/${rewardId}/claim`,
    `/orders/${rewardId}/expire`,
    '/webhooks/listeners',
    '/webhooks/listeners/x/take',
    '/webhooks/listeners/x/forwarded',
    '/webhooks/listeners/x/end',
    '/webhooks/examples',
  ]) {
    t.is((await ask(all.token, path, 'POST')).status, 403, path);
  }
  t.is(await statusOf(all.token, '/home'), 404, 'pages are closed to programs');
});

test('a service account survives its creator, and ends with its partner, its expiry or an operator’s revocation', async (t) => {
  const { partnerId } = await service.partner();
  await aUser(portal, { partnerId, role: 'owner' });
  const user = await aUser(portal, { partnerId, role: 'developer' });
  const { token } = await makeByPage(await signedIn(portal, user), 'a dashboard');
  await operate(portal.deps, removeUser, { partnerId, userId: user._id });
  t.is(await statusOf(token), 200);

  const ada = new Operator(service, service.adminToken);
  await ada.patch(`/partners/${partnerId}`, { status: 'SUSPENDED' });
  const suspended = await ask(token, '/events');
  t.deepEqual([suspended.status, suspended.body.error.code], [403, 'PARTNER_NOT_ACTIVE']);
  await ada.patch(`/partners/${partnerId}`, { status: 'ACTIVE' });
  t.is(await statusOf(token), 200);

  const { token: short, account } = await accountOf(partnerId, { days: 1 });
  await service.models.serviceAccounts.updateOne(
    { _id: account._id },
    { $set: { expiresAt: new Date() } },
  );
  t.is(await statusOf(short), 401);

  const { items } = (await ada.get(`/partners/${partnerId}/service-accounts`)).body;
  const one = items.find(({ name }: { name: string }) => name === 'a dashboard');
  t.deepEqual(one.scopes, ['log:read', 'rewards:read']);
  t.false(JSON.stringify(items).includes(sha256Hex(token)));
  const elsewhere = await service.partner();
  const wrong = await ada.delete(`/partners/${elsewhere.partnerId}/service-accounts/${one.id}`);
  t.is(wrong.status, 404);
  const ended = await ada.delete(`/partners/${partnerId}/service-accounts/${one.id}`);
  t.truthy(ended.body.revokedAt);
  t.is(await statusOf(token), 401);
});

test('a partner has at most twenty active service accounts, even if created concurrently', async (t) => {
  const { partnerId } = await service.partner();
  await Promise.allSettled(Array.from({ length: 30 }, () => accountOf(partnerId)));
  const working = { partnerId, revokedAt: null };
  t.is(await service.models.serviceAccounts.countDocuments(working), 20);
  const createMany = async () => {
    for (let count = 0; count < 21; count++) await accountOf(partnerId);
  };
  await t.throwsAsync(createMany(), { message: /20 service accounts, the maximum/ });
  await service.models.serviceAccounts.updateMany(working, { $set: { revokedAt: new Date() } });
  await t.notThrowsAsync(accountOf(partnerId));
});
