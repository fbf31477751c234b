import test from 'ava';
import { maxIntegrations } from '../../domain/partners.ts';
import { createIntegration } from '../../operations/integrations.ts';
import { createPartner } from '../../operations/partners.ts';
import { changeUserRole } from '../../operations/users.ts';
import { operate } from '../helpers/operate.ts';
import { type Service, startService } from '../helpers/service.ts';
import { formsIn, textOf } from './helpers/browser.ts';
import { fixtures } from './helpers/fixtures.ts';
import { aUser, partnerBrowser, signedIn } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;

const live = () => service.partner();
const keysOf = (partnerId: string) => service.models.credentials.find({ partnerId });

test('a secret is shown once, and never again', async (t) => {
  const { partnerId, integrationId } = await live();
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open(`/keys/new?mode=TEST&integration=${integrationId}`);
  const shown = await owner.submit('/keys/new', { scopes: 'read' });
  t.is(shown.status, 200);
  t.is(shown.headers.get('cache-control'), 'no-store');
  const [secret = ''] = /sk_test_[\w-]{40,}/.exec(shown.html) ?? [];
  t.true(secret.length > 40);
  t.true(shown.html.includes(`data-copy="${secret}"`));
  t.regex(textOf(shown.html), /This secret is shown once\./);
  t.regex(textOf(shown.html), new RegExp(`PARTNER_SECRET=${secret}`));
  const users = await service.models.users.find({ partnerId }).distinct('_id');
  const sessions = await service.models.sessions.find({ userId: { $in: users } });
  t.false(JSON.stringify(sessions).includes(secret));
  const made = (await keysOf(partnerId)).find(({ scopes }) => scopes.length === 1);
  t.like(made, { mode: 'TEST', integrationId, scopes: ['events:read'] });
  for (const path of ['/keys', `/keys/${made?._id}`, `/integrations/${integrationId}`, '/home']) {
    t.false((await owner.open(path)).html.includes(secret), path);
  }
});

test('what a key may do is said in words, with the names of its scopes', async (t) => {
  const { partnerId } = await live();
  const owner = await partnerBrowser(portal, partnerId);
  const form = textOf((await owner.open('/keys/new?mode=TEST')).html);
  t.regex(form, /Send events and read \(events:write, events:read\)/);
  t.regex(form, /at the checkout \(events:write, events:read, customers:read, redemptions:write\)/);
  await owner.submit('/keys/new', { scopes: 'read' });
  const made = (await keysOf(partnerId)).find(({ scopes }) => scopes.length === 1);
  t.regex(textOf((await owner.open(`/keys/${made?._id}`)).html), /Scopes\s+read events:read/);
});

test('a secret made as an owner is not shown to who has become a viewer before the next page', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  await aUser(portal, { partnerId });
  const user = await aUser(portal, { partnerId });
  const owner = await signedIn(portal, user);
  await owner.open('/keys/new?mode=LIVE');
  const [form] = formsIn(owner.shown?.html ?? '').filter(({ action }) => action === '/keys/new');
  const made = await owner.post(form?.address ?? '', form?.values ?? {});
  t.regex(made.headers.get('location') ?? '', /^\/revealed/);
  const { _id: userId } = user;
  await operate(portal.deps, changeUserRole, { partnerId, userId, role: 'viewer' });
  const shown = await owner.open('/revealed');
  t.notRegex(shown.html, /sk_live_/);
  t.regex(textOf((await owner.open('/account')).html), /viewer/i);
});

test('a LIVE key does not link to pages for TEST keys', async (t) => {
  const { partnerId, credentialId } = await service.partner({ mode: 'LIVE' });
  const owner = await partnerBrowser(portal, partnerId);
  const inTest = /Send a request in the test console/;
  t.notRegex(textOf((await owner.open(`/keys/${credentialId}`)).html), inTest);
  await owner.open('/keys/new?mode=LIVE');
  const shown = textOf((await owner.submit('/keys/new')).html);
  t.regex(shown, /The first purchase it reports appears in the request log/);
  t.notRegex(shown, inTest);
  await owner.open('/keys/new?mode=TEST');
  t.regex(textOf((await owner.submit('/keys/new')).html), inTest);
});

test('an owner chooses how long a LIVE key is valid, and sees when it expires', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/keys/new?mode=LIVE');
  await owner.submit('/keys/new', { days: '90' });
  const made = (await keysOf(partnerId)).at(-1);
  const [secret] = made?.secrets ?? [];
  t.is(+(secret?.expiresAt ?? 0) - +(secret?.createdAt ?? 0), 90 * 86_400_000);
  const day = secret?.expiresAt?.toISOString().slice(0, 10) ?? '';
  for (const path of ['/keys', `/keys/${made?._id}`]) {
    t.true((await owner.open(path)).html.includes(`datetime="${day}`), path);
  }
  const expiresAt = new Date(Date.now() - 1_000);
  await service.models.credentials.updateOne(
    { _id: made?._id ?? '' },
    { $set: { 'secrets.0.expiresAt': expiresAt } },
  );
  t.regex(textOf((await owner.open('/keys')).html), /expired/i);
  t.regex(textOf((await owner.open(`/keys/${made?._id}`)).html), /expired on .* refused/);
});

test('reloading after a secret creates no other key, and says how to get one', async (t) => {
  const { partnerId } = await live();
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open('/keys/new?mode=TEST');
  const shown = await owner.submit('/keys/new');
  t.is(shown.path, '/revealed?mode=TEST');
  t.regex(shown.html, /sk_test_/);
  const count = (await keysOf(partnerId)).length;
  const reloaded = await owner.open('/revealed?mode=TEST');
  t.notRegex(reloaded.html, /sk_test_/);
  t.regex(textOf(reloaded.html), /It has already been shown.*create another/i);
  const made = (await keysOf(partnerId)).at(-1);
  t.true(
    reloaded.html.includes(`href="/keys/${made?._id}?mode=TEST"`),
    'the page links to the key, where its secret can be rotated',
  );
  t.is((await keysOf(partnerId)).length, count);
});

test('a secret is kept five minutes for its own session, and shown to one of two concurrent requests', async (t) => {
  const { partnerId } = await live();
  const user = await aUser(portal, { partnerId });
  const owner = await signedIn(portal, user);
  const other = await partnerBrowser(portal, partnerId);
  await owner.open('/keys/new?mode=TEST');
  await owner.post('/keys/new?mode=TEST', await choices(partnerId));
  t.notRegex((await other.open('/revealed')).html, /sk_test_/);
  const looks = await Promise.all([
    owner.ask('GET', '/revealed'),
    owner.ask('GET', '/revealed'),
    owner.ask('GET', '/revealed'),
  ]);
  t.is(looks.filter(({ html }) => /sk_test_/.test(html)).length, 1);

  await owner.open('/keys/new?mode=TEST');
  await owner.post('/keys/new?mode=TEST', await choices(partnerId));
  const waiting = { userId: user._id, 'reveal.sealed': { $type: 'string' } } as const;
  const late = new Date(portal.deps.now() - 1);
  const { matchedCount } = await service.models.sessions.updateMany(waiting, {
    $set: { 'reveal.expiresAt': late },
  });
  t.is(matchedCount, 1);
  t.notRegex((await owner.open('/revealed')).html, /sk_test_/);
  t.is(await service.models.sessions.countDocuments(waiting), 0, 'the sealed secret is deleted');
});

test('a secret that was not looked at is deleted with the session’s next use', async (t) => {
  const { partnerId } = await live();
  const user = await aUser(portal, { partnerId });
  const owner = await signedIn(portal, user);
  await owner.open('/keys/new?mode=TEST');
  await owner.post('/keys/new?mode=TEST', await choices(partnerId));
  const before = new Date(portal.deps.now() - 10 * 60_000);
  await service.models.sessions.updateMany(
    { userId: user._id },
    { $set: { lastUsedAt: before, 'reveal.expiresAt': before } },
  );
  await owner.open('/keys');
  const [session] = await service.models.sessions.find({ userId: user._id });
  t.is(session?.reveal?.sealed, null);
});

const choices = async (partnerId: string) => {
  const [integration] = await service.models.integrations.find({ partnerId });
  return { integrationId: integration?._id ?? '', scopes: 'both' };
};

test('a developer changes TEST keys, but no LIVE key, whatever mode the address says', async (t) => {
  const { partnerId } = await live();
  const of = { partnerId, mark: '' };
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/account');
  const [liveId, testId] = [
    await fixtures.liveCredential(portal, of),
    await fixtures.credential(portal, of),
  ];
  const secretId = await fixtures.liveSecret(portal, of);
  for (const query of ['', '?mode=TEST', '?mode=LIVE']) {
    for (const path of [
      `/keys/${liveId}/rotate`,
      `/keys/${liveId}/revoke`,
      `/keys/secrets/${secretId}/revoke`,
    ]) {
      t.is((await developer.post(path + query)).status, 403, path + query);
    }
  }
  t.is(
    (await developer.post('/keys/new', await choices(partnerId))).status,
    403,
    'LIVE by default',
  );
  t.is((await developer.post(`/keys/${testId}/revoke?mode=LIVE`)).status, 303);
  const revoked = (await keysOf(partnerId)).filter(({ revokedAt }) => revokedAt !== null);
  t.deepEqual(
    revoked.map(({ _id }) => _id),
    [testId],
  );
  const secrets = (await keysOf(partnerId)).flatMap((key) =>
    key._id === testId ? [] : key.secrets,
  );
  t.true(secrets.every(({ revokedAt }) => revokedAt === null));
});

test('before go-live a LIVE key is refused, and the page says why and where to go', async (t) => {
  const { _id: partnerId } = await operate(portal.deps, createPartner, { name: 'Corner Shop' });
  const { _id: integrationId } = await operate(portal.deps, createIntegration, {
    partnerId,
    name: 'shop',
  });
  const owner = await partnerBrowser(portal, partnerId);
  const { html } = await owner.open('/keys/new?mode=LIVE');
  t.regex(textOf(html), /LIVE keys require go-live/);
  t.regex(html, /class="button primary" href="\/home\?mode=LIVE"/);
  await owner.open('/account');
  t.is((await owner.post('/keys/new?mode=LIVE', { integrationId, scopes: 'both' })).status, 409);
  t.deepEqual(await keysOf(partnerId), []);
});

test('a key can be created for the oldest of the most integrations', async (t) => {
  const { partnerId, integrationId } = await live();
  const many = Array.from({ length: maxIntegrations - 1 }, (_, place) => `shop ${place}`);
  for (const name of many) await operate(portal.deps, createIntegration, { partnerId, name });
  const owner = await partnerBrowser(portal, partnerId);
  await owner.open(`/keys/new?mode=TEST&integration=${integrationId}`);
  await owner.submit('/keys/new');
  const keys = await keysOf(partnerId);
  t.deepEqual(
    keys.map((key) => key.integrationId),
    [integrationId, integrationId],
  );
});

test('after a rotation both secrets work, and a third requires revoking one', async (t) => {
  const { partnerId, credentialId } = await live();
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  const rotate = `/keys/${credentialId}/rotate`;
  await developer.open(`/keys/${credentialId}`);
  const shown = await developer.submit(rotate);
  t.is(shown.status, 200);
  t.regex(shown.html, /sk_test_/);
  const full = await developer.open(`/keys/${credentialId}`);
  t.regex(textOf(full.html), /Two secrets are already active/);
  t.is((await developer.post(rotate)).status, 409);
  await developer.open(`/keys/${credentialId}`);

  const [key] = await keysOf(partnerId);
  const [first] = key?.secrets ?? [];
  await developer.submit(`/keys/secrets/${first?.secretId}/revoke`);
  t.is(developer.shown?.path, `/keys/${credentialId}?mode=TEST`);
  const [after] = await keysOf(partnerId);
  t.deepEqual(
    after?.secrets.map(({ revokedAt }) => revokedAt === null),
    [false, true],
  );
});

test('a key’s page warns before its last secret is revoked, and shows a revoked key as such', async (t) => {
  const backend = await live();
  const { partnerId, credentialId } = backend;
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  const page = await developer.open(`/keys/${credentialId}`);
  t.regex(textOf(page.html), /It is the key’s only secret/);
  await developer.submit(`/keys/${credentialId}/revoke`);
  const { html } = await developer.open(`/keys/${credentialId}`);
  t.regex(textOf(html), /This key was revoked on/);
  t.false(html.includes('/rotate'));
});

test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});

test.after.always(async () => {
  await service?.stop();
});

test('a first integration gets a default name and a TEST key; others what was entered', async (t) => {
  const { _id: partnerId } = await operate(portal.deps, createPartner, { name: 'New Shop' });
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  await developer.open('/integrations/new');
  const shown = await developer.submit('/integrations/new');
  t.is(shown.path, '/revealed');
  t.regex(shown.html, /sk_test_/);
  const [first] = await service.models.integrations.find({ partnerId });
  t.is(first?.name, 'Web shop');
  t.like(await service.models.credentials.findOne({ partnerId }), {
    mode: 'TEST',
    integrationId: first?._id,
    scopes: ['events:write', 'events:read'],
  });

  const form = await developer.open('/integrations/new');
  t.false(form.html.includes('value="Web shop"'));
  const till = await developer.submit('/integrations/new', { name: 'Till', withKey: '' });
  t.regex(till.path, /^\/integrations\/int_/);
  t.regex(textOf(till.html), /Till created\. Generate a TEST key for it next\./);
  t.is(await service.models.credentials.countDocuments({ partnerId }), 1);
});

test('an owner chooses who delivers a LIVE partner’s claim links; others only see it', async (t) => {
  const { partnerId, integrationId } = await service.partner();
  const path = `/integrations/${integrationId}`;
  const owner = await partnerBrowser(portal, partnerId);
  t.regex(textOf((await owner.open(path)).html), /We send it to the customer/);
  await owner.submit(`${path}/delivery`, { delivery: 'PARTNER' });
  const stored = await service.models.integrations.findById(integrationId);
  t.is(stored?.delivery, 'PARTNER');
  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  const { html } = await viewer.open(path);
  t.regex(textOf(html), /You send it yourself/);
  t.false(html.includes(`${path}/delivery`));
  t.is((await viewer.post(`${path}/delivery`, { delivery: 'SERVICE' })).status, 403);
  const developer = await partnerBrowser(portal, partnerId, 'developer');
  t.is((await developer.post(`${path}/delivery`, { delivery: 'SERVICE' })).status, 403);
});
