import { randomUUID } from 'node:crypto';
import test from 'ava';
import { updateIntegration } from '../../operations/integrations.ts';
import { createPartner } from '../../operations/partners.ts';
import { newId } from '../../platform/ids.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { Operator } from '../helpers/operator.ts';
import { type Service, startService } from '../helpers/service.ts';
import { Browser, textOf } from './helpers/browser.ts';
import { tokenIn } from './helpers/fixtures.ts';
import { aUser, operatorBrowser, partnerBrowser, signedIn } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const aPartner = async () => (await service.partner()).partnerId;

/** The owner invites somebody. @returns the path of the link in the email */
async function invite(owner: Browser, email: string, role = 'developer'): Promise<string> {
  await owner.open('/team');
  await owner.submit('/team/invite', { email, role });
  const mail = await eventually(
    async () => portal.mails.findLast(({ to }) => to === email.toLowerCase()),
    'the email is sent',
  );
  return `/invitations/${tokenIn(mail)}`;
}

const accept = async (path: string, fields: Record<string, string> = {}) => {
  const browser = new Browser(portal);
  await browser.open(path);
  const all = { name: 'Bob', password: 'a long enough one', ...fields };
  return { browser, shown: await browser.submit(path, all) };
};

test('an owner invites somebody, who enters a name and joins in that role', async (t) => {
  const partnerId = await aPartner();
  const owner = await partnerBrowser(portal, partnerId);
  const path = await invite(owner, 'Bob.New@Shop.example');
  t.regex(textOf((await owner.open('/team')).html), /bob\.new@shop\.example Developer/);
  const { shown, browser } = await accept(path);
  t.is(shown.path, '/home');
  t.regex(textOf(shown.html), /Welcome/);
  const user = await portal.deps.models.users.findOne({ email: 'bob.new@shop.example' });
  t.like(user, { partnerId, role: 'developer', name: 'Bob', operatorId: null });
  t.is((await browser.open('/audit-log')).status, 403);
  t.is((await new Browser(portal).open(path)).status, 404, 'an invitation is accepted once');
});

test('a new partner’s first user is sent to the first step, if permitted', async (t) => {
  for (const [role, path] of [
    ['owner', '/integrations/new'],
    ['developer', '/integrations/new'],
    ['viewer', '/home'],
  ] as const) {
    const partner = await operate(portal.deps, createPartner, { name: 'New Shop' });
    const owner = await partnerBrowser(portal, partner._id);
    const { shown } = await accept(await invite(owner, `${role}@new.example`, role));
    t.is(shown.path, path, role);
    t.regex(textOf(shown.html), /Welcome/);
  }
});

test('a common password is refused', async (t) => {
  const owner = await partnerBrowser(portal, await aPartner());
  const path = await invite(owner, 'common@shop.example');
  const { shown } = await accept(path, { password: 'password1234' });
  t.is(shown.status, 422);
  t.regex(textOf(shown.html), /too common/);
});

test('a short or missing password shows the form again with the entered name', async (t) => {
  const owner = await partnerBrowser(portal, await aPartner());
  const { shown } = await accept(await invite(owner, 'short@shop.example'), { password: 'short' });
  t.is(shown.status, 422);
  t.regex(shown.html, /aria-invalid="true"/);
  t.regex(shown.html, /value="Bob"/);
  t.regex(textOf(shown.html), /at least 12 characters/);
});

test('invitations to one address are limited', async (t) => {
  const strict = await startPortal(service, {}, { invitations: 2 });
  t.teardown(() => strict.stop());
  const owner = await partnerBrowser(strict, await aPartner());
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) {
    await owner.open('/team');
    const fields = { email: 'stranger@elsewhere.example', role: 'viewer' };
    statuses.push((await owner.submit('/team/invite', fields)).status);
  }
  t.deepEqual(statuses, [200, 200, 429]);
  t.is(strict.mails.length, 2);
});

test('a withdrawn invitation is no longer valid', async (t) => {
  const owner = await partnerBrowser(portal, await aPartner());
  const path = await invite(owner, 'again@shop.example');
  const { html } = await owner.open('/team');
  const [, action = ''] = /action="(\/team\/invitations\/ivt_\w+\/revoke)"/.exec(html) ?? [];
  await owner.submit(action);
  t.is((await new Browser(portal).open(path)).status, 404);
});

test('the link of an ended invitation says how it ended and what to do', async (t) => {
  const owner = await partnerBrowser(portal, await aPartner());
  const accepted = await invite(owner, 'used@shop.example');
  const late = new Browser(portal);
  await late.open(accepted);
  await accept(accepted);
  const fields = { name: 'Bob', password: 'a long enough one' };
  const replaced = await invite(owner, 'replaced@shop.example');
  await invite(owner, 'replaced@shop.example');
  const old = newId('invitation', Date.now() - 8 * 24 * 3_600_000);
  for (const [{ status, html }, said] of [
    [await late.submit(accepted, fields), /This invitation was already used/],
    [await late.open(accepted), /This invitation was already used Sign in with .* for a new one/],
    [await late.open(replaced), /This invitation was revoked or replaced .* for a new one/],
    [
      await late.open(`/invitations/${old}-${'a'.repeat(43)}`),
      /This invitation has expired .* Ask whoever invited you for a new one/,
    ],
    [
      await late.open(replaced.slice(0, 40)),
      /We don’t recognize this invitation .* copy all of it/,
    ],
  ] as const) {
    t.is(status, 404);
    t.regex(textOf(html), said);
  }
});

test('inviting a team member again is refused in the form', async (t) => {
  const partnerId = await aPartner();
  const owner = await partnerBrowser(portal, partnerId);
  const own = await aUser(portal, { partnerId, role: 'viewer' });
  await owner.open('/team');
  const refused = await owner.submit('/team/invite', { email: own.email ?? '', role: 'viewer' });
  t.is(refused.status, 409);
  t.regex(textOf(refused.html), /already belongs to someone on the team: open their page/);
  t.regex(textOf(refused.html), /An address can be on one team only/);
});

test('an owner changes a role, which applies from the next page on', async (t) => {
  const partnerId = await aPartner();
  const owner = await partnerBrowser(portal, partnerId);
  const user = await aUser(portal, { partnerId, role: 'viewer' });
  const browser = await signedIn(portal, user);
  t.is((await browser.open('/audit-log')).status, 403);
  await owner.open(`/team/users/${user._id}`);
  await owner.submit(`/team/users/${user._id}/role`, { role: 'owner' });
  t.is((await browser.open('/audit-log')).status, 200);
});

test('a removed user is signed out at once', async (t) => {
  const partnerId = await aPartner();
  const owner = await partnerBrowser(portal, partnerId);
  const user = await aUser(portal, { partnerId, role: 'viewer' });
  const browser = await signedIn(portal, user);
  await owner.open(`/team/users/${user._id}`);
  t.is((await owner.submit(`/team/users/${user._id}/remove`)).path, '/team');
  t.regex((await browser.open('/home')).path, /^\/sign-in/);
});

test('the last owner stays, and the page says so', async (t) => {
  const user = await aUser(portal, { partnerId: await aPartner() });
  const owner = await signedIn(portal, user);
  const path = `/team/users/${user._id}`;
  await owner.open(path);
  const { status, html } = await owner.submit(`${path}/remove`);
  t.is(status, 409);
  t.regex(textOf(html), /A team needs an owner/);
});

test('only owners see who has no second factor', async (t) => {
  const partnerId = await aPartner();
  for (const role of ['owner', 'developer', 'viewer'] as const) {
    const { html } = await (await partnerBrowser(portal, partnerId, role)).open('/team');
    t.is(/Second factor/.test(textOf(html)), role === 'owner', role);
  }
});

test('an operator invites the first owner, on the page and through the operators’ API', async (t) => {
  const partnerId = await aPartner();
  const admin = await operatorBrowser(portal);
  const path = `/admin/partners/${partnerId}`;
  await admin.open(path);
  const shown = await admin.submit(`${path}/invite`, { email: 'one@shop.example' });
  t.regex(textOf(shown.html), /on its way/);
  const mail = portal.mails.find(({ to }) => to === 'one@shop.example');
  t.is((await accept(`/invitations/${tokenIn(mail)}`)).shown.path, '/home');
  const user = await portal.deps.models.users.findOne({ email: 'one@shop.example' });
  t.like(user, { partnerId, role: 'owner' });

  const ada = new Operator(service, service.adminToken);
  const reply = await ada.post(`/partners/${partnerId}/invitations`, { email: 'Two@shop.example' });
  t.is(reply.status, 201);
  t.like(reply.body, { email: 'two@shop.example', role: 'owner', partnerId });
  const sent = service.mails.find(({ to }) => to === 'two@shop.example');
  t.regex(tokenIn(sent), /^ivt_[0-9A-Z]{26}-[\w-]{43}$/);
  t.false(reply.text.includes(tokenIn(sent)), 'only the email contains the token');
});

test('an operator is created with an address, signs in by email link, and is signed out when revoked', async (t) => {
  const ada = new Operator(service, service.adminToken);
  const email = `${randomUUID()}@operators.example`;
  const fields = { name: 'Grace', role: 'support', email };
  const made = await ada.post('/operators', fields);
  t.is(made.status, 201);
  const { operatorId } = made.body;
  t.deepEqual(made.body.tokens, []);
  const user = await portal.deps.models.users.findOne({ email }).orFail();
  t.is((await ada.post('/operators', { ...fields, name: 'Eve' })).status, 409);
  const browser = await signedIn(portal, user);
  t.is((await browser.open('/admin')).status, 200);
  await ada.delete(`/operators/${operatorId}`);
  t.regex((await browser.open('/admin')).path, /^\/sign-in/);
});

test('the operators’ audit log shows the names of partners’ users', async (t) => {
  const partnerId = await aPartner();
  const user = await aUser(portal, { partnerId, name: 'Olive Owner' });
  await invite(await signedIn(portal, user), 'trail@shop.example');
  const ada = new Operator(service, service.adminToken);
  const { items } = (await ada.get(`/audit?partner=${partnerId}`)).body;
  t.like(items[0], { actorId: user._id, actorName: 'Olive Owner', action: 'user.invite' });
});

test('the audit log shows owners what their team did, and nothing of operators', async (t) => {
  const { partnerId, integrationId } = await service.partner();
  const fields = { partnerId, integrationId, delivery: 'PARTNER' as const };
  await operate(portal.deps, updateIntegration, fields);
  const user = await aUser(portal, { partnerId, name: 'Olive Owner' });
  const owner = await signedIn(portal, user);
  await owner.open('/redemptions');
  await owner.submit('/redemptions/settings', { isAllowed: 'no' });
  const text = textOf((await owner.open('/audit-log')).html);
  t.regex(text, /Change how customers pay with points Done Olive Owner/);
  t.notRegex(text, /deliver the claim links/);
});
