import { randomUUID } from 'node:crypto';
import test from 'ava';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { anOperator, operatorBrowser, signedIn } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service, { config: configOf(service, { FOUR_EYES: 'on' }) });
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const secretIn = (html: string): string => /sk_(?:live|test)_[\w-]{43}/.exec(html)?.[0] ?? '';
const tokenIn = (html: string): string => /admin_[\w-]{43}/.exec(html)?.[0] ?? '';

test('a LIVE key needs approval, and its secret is shown to the approver, once', async (t) => {
  const { partnerId, integrationId } = await service.partner({ mode: 'LIVE' });
  const [ada, bob] = await Promise.all([operatorBrowser(portal), operatorBrowser(portal)]);
  const path = `/admin/partners/${partnerId}/credentials/new`;
  await ada.open(path);
  const proposed = await ada.submit(path, { integrationId, mode: 'LIVE', scopes: 'write' });
  t.regex(textOf(proposed.html), /Create a LIVE key of Corner Shop for web shop/);
  t.is(secretIn(proposed.html), '');
  await bob.open(proposed.path);
  const shown = await bob.submit(`${proposed.path}/approve`, { isChecked: 'on' });
  t.regex(secretIn(shown.html), /^sk_live_/);
  t.is(shown.headers.get('cache-control'), 'no-store');
  await bob.open(proposed.path);
  t.is(secretIn(bob.shown?.html ?? ''), '');
  t.is(secretIn((await bob.post(`${proposed.path}/approve`, { isChecked: 'on' })).html), '');
  t.is(await service.models.credentials.countDocuments({ partnerId, mode: 'LIVE' }), 2);
});

test('another owner is invited once a second operator approved the address', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const [ada, bob] = await Promise.all([operatorBrowser(portal), operatorBrowser(portal)]);
  const path = `/admin/partners/${partnerId}`;
  await ada.open(path);
  const proposed = await ada.submit(`${path}/invite`, { email: 'more@shop.example' });
  t.regex(textOf(proposed.html), /Invite an owner of Corner Shop/);
  const sent = () => portal.mails.filter(({ to }) => to === 'more@shop.example').length;
  t.is(sent(), 0);
  t.regex(textOf((await bob.open(proposed.path)).html), /more@shop\.example/);
  await bob.submit(`${proposed.path}/approve`, { isChecked: 'on' });
  t.is(sent(), 1);
});

test('a TEST key needs one operator; its secrets are rotated and revoked, and so is the key', async (t) => {
  const { partnerId, integrationId } = await service.partner();
  const ada = await operatorBrowser(portal);
  const path = `/admin/partners/${partnerId}/credentials/new`;
  await ada.open(path);
  const made = await ada.submit(path, { integrationId, mode: 'TEST', scopes: 'both' });
  t.regex(secretIn(made.html), /^sk_test_/);
  const key = /href="(\/admin\/credentials\/key_\w+)"/.exec(made.html)?.[1] ?? '';
  await ada.open(key);
  const rotated = await ada.submit(`${key}/secrets`);
  t.not(secretIn(rotated.html), secretIn(made.html));
  await ada.open(key);
  await ada.submit(`${key}/secrets/revoke`);
  const credentialId = key.split('/').at(-1) ?? '';
  const stored = () => service.models.credentials.findById(credentialId).orFail();
  t.deepEqual(
    (await stored()).secrets.map(({ revokedAt }) => revokedAt !== null),
    [true, false],
  );
  await ada.open(key);
  t.regex(textOf((await ada.submit(`${key}/revoke`)).html), /Key revoked/);
  t.not((await stored()).revokedAt, null);
});

test('an operator above viewer needs approval, nobody sees a token, and revoking ends their access', async (t) => {
  const [ada, bob] = await Promise.all([operatorBrowser(portal), operatorBrowser(portal)]);
  const create = '/admin/operators/new';
  const email = () => `${randomUUID()}@operators.example`;
  await ada.open(create);
  t.is((await ada.submit(create, { name: 'Nobody', role: 'viewer' })).status, 422);
  const guest = await ada.submit(create, { name: 'Guest', role: 'viewer', email: email() });
  t.regex(textOf(guest.html), /Guest can sign in/);
  t.is(tokenIn(guest.html), '');
  await ada.open(create);
  const address = email();
  const asked = { name: 'Mallory', role: 'admin', email: address };
  const proposed = await ada.submit(create, asked);
  t.is(await service.models.operators.countDocuments({ name: 'Mallory' }), 0);
  await bob.open(proposed.path);
  t.true(textOf(bob.shown?.html ?? '').includes(address), 'the approver sees the address');
  const made = await bob.submit(`${proposed.path}/approve`, { isChecked: 'on' });
  t.is(tokenIn(made.html), '');
  const operator = await service.models.operators.findOne({ name: 'Mallory' }).orFail();
  t.deepEqual(operator.tokens, []);

  const page = `/admin/operators/${operator._id}`;
  await bob.open(page);
  t.regex(textOf((await bob.submit(`${page}/confirm`)).html), /Mallory confirmed/);
  const lowered = await bob.submit(`${page}/role`, { role: 'viewer' });
  t.regex(textOf(lowered.html), /Role changed/);
  const raised = await bob.submit(`${page}/role`, { role: 'finance' });
  t.regex(raised.path, /^\/admin\/approvals\//);
  await bob.open(page);
  t.regex(textOf((await bob.submit(`${page}/revoke`)).html), /Mallory revoked/);
});

test('every operator manages their own tokens', async (t) => {
  const viewer = await signedIn(portal, await anOperator(portal, 'viewer'));
  await viewer.open('/admin/tokens');
  const made = await viewer.submit('/admin/tokens');
  t.regex(tokenIn(made.html), /^admin_/);
  await viewer.open('/admin/tokens');
  const full = await viewer.submit('/admin/tokens');
  t.is(full.status, 409);
  t.regex(textOf(full.html), /has 2 active tokens/);
  const revoked = await viewer.submit('/admin/tokens/revoke');
  t.regex(textOf(revoked.html), /Token revoked/);
  t.is((await viewer.ask('GET', '/admin/operators')).status, 403);
});
