import test from 'ava';
import { revokeInvitation } from '../../operations/users/revoke-invitation.ts';
import { newId } from '../../platform/ids.ts';
import { anotherOperator, Operator } from '../api/admin/helpers/operator.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { type Service, startService } from '../helpers/service.ts';
import { Browser, textOf } from './helpers/browser.ts';
import { tokenIn } from './helpers/fixtures.ts';
import { anOperator, aUser, operatorBrowser, partnerBrowser, signedIn } from './helpers/people.ts';
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

/** An owner invites somebody. @returns the path in the mail */
async function invite(owner: Browser, email: string, role = 'developer'): Promise<string> {
  await owner.open('/team/invite');
  await owner.submit('/team/invite', { email, role });
  const mail = await eventually(
    async () => portal.mails.findLast(({ to }) => to === email.toLowerCase()),
    'the mail',
  );
  return `/invitations/${tokenIn(mail)}`;
}

const accept = async (path: string, fields: Record<string, string> = {}) => {
  const browser = new Browser(portal);
  await browser.open(path);
  const all = { name: 'Bob', password: 'a long enough one', ...fields };
  return { browser, shown: await browser.submit(path, all) };
};

test('an owner invites, the invited says who they are, and is in, in that role', async (t) => {
  const partnerId = await aPartner();
  const owner = await partnerBrowser(portal, partnerId);
  const path = await invite(owner, 'Bob.New@Shop.example');
  t.regex(textOf((await owner.open('/team')).html), /bob\.new@shop\.example Developer/);
  const { shown, browser } = await accept(path);
  t.is(shown.path, '/home');
  t.regex(textOf(shown.html), /Welcome/);
  const user = await portal.deps.models.users.findOne({ email: 'bob.new@shop.example' }).lean();
  t.like(user, { partnerId, role: 'developer', name: 'Bob', operatorId: null });
  t.is((await browser.open('/team/invite')).status, 403);
  const again = new Browser(portal);
  t.is((await again.open(path)).status, 404, 'an invitation is accepted once');
  const entries = await portal.deps.models.auditEntries.find({ partnerId }).sort({ _id: 1 }).lean();
  t.deepEqual(
    entries.map(({ action, status }) => [action, status]),
    [
      ['user.invite', 'DONE'],
      ['user.accept-invitation', 'DONE'],
      ['own-session.create', 'DONE'],
    ],
  );
  t.is(entries[1]?.actorId, user?._id);
  t.false(JSON.stringify(entries).includes('shop.example'), 'the trail keeps no address');
});

test('a short password, or none, shows the form again with the name that was typed', async (t) => {
  const owner = await partnerBrowser(portal, await aPartner());
  const { shown } = await accept(await invite(owner, 'short@shop.example'), { password: 'short' });
  t.is(shown.status, 422);
  t.regex(shown.html, /aria-invalid="true"/);
  t.regex(shown.html, /value="Bob"/);
  t.regex(textOf(shown.html), /at least 12 characters/);
});

test('of two who accept at once, one is made', async (t) => {
  const owner = await partnerBrowser(portal, await aPartner());
  const path = await invite(owner, 'twice@shop.example');
  const both = [new Browser(portal), new Browser(portal)];
  for (const browser of both) await browser.open(path);
  const shown = await Promise.all(
    both.map((browser) => browser.submit(path, { name: 'Bob', password: 'a long enough one' })),
  );
  t.is(shown.filter(({ path: at }) => at === '/home').length, 1);
  t.is(await portal.deps.models.users.countDocuments({ email: 'twice@shop.example' }), 1);
});

test('an invitation that is taken back while it is accepted makes nobody', async (t) => {
  const { models } = portal.deps;
  const partnerId = await aPartner();
  const owner = await partnerBrowser(portal, partnerId);
  const email = 'meanwhile@shop.example';
  const path = await invite(owner, email);
  const { _id } = await models.invitations.findOne({ partnerId, email }).lean().orFail();
  const { collection } = models.users;
  const insertOne = collection.insertOne.bind(collection);
  collection.insertOne = async (doc, ...options) => {
    if (doc.email === email)
      await operate({ models, now: Date.now }, revokeInvitation, { partnerId, invitationId: _id });
    return await insertOne(doc, ...options);
  };
  t.teardown(() => Reflect.deleteProperty(collection, 'insertOne'));
  const { shown, browser } = await accept(path);
  t.is(shown.status, 404);
  t.is(await models.users.countDocuments({ email }), 0);
  t.regex((await browser.open('/home')).path, /^\/sign-in/);
});

test('nobody makes an owner without their second factor: a stolen cookie would open LIVE', async (t) => {
  const { models } = portal.deps;
  const partnerId = await aPartner();
  const viewer = await aUser(portal, { partnerId, role: 'viewer' });
  const owner = await signedIn(portal, await aUser(portal, { partnerId }), { isStrong: false });
  const admin = await signedIn(portal, await anOperator(portal), { isStrong: false });
  t.regex((await owner.open('/team/invite')).path, /^\/second-factor/);
  const fields = { email: 'accomplice@evil.example', role: 'owner' };
  for (const [browser, page, action, sent] of [
    [owner, '/team', '/team/invite', fields],
    [owner, '/team', `/team/users/${viewer._id}/role`, { role: 'owner' }],
    [admin, `/admin/partners/${partnerId}`, `/admin/partners/${partnerId}/invite`, fields],
  ] as const) {
    await browser.open(page);
    const { status, headers } = await browser.post(action, sent);
    t.is(status, 303, action);
    t.regex(headers.get('location') ?? '', /^\/second-factor/, action);
  }
  t.is(await models.invitations.countDocuments({ partnerId }), 0);
  t.like(await models.users.findById(viewer._id).lean(), { role: 'viewer' });
});

test('nobody floods a stranger’s mailbox with invitations', async (t) => {
  const strict = await startPortal(service, {}, { invitations: 2 });
  t.teardown(() => strict.stop());
  const owner = await partnerBrowser(strict, await aPartner());
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) {
    await owner.open('/team/invite');
    const fields = { email: 'stranger@elsewhere.example', role: 'viewer' };
    statuses.push((await owner.submit('/team/invite', fields)).status);
  }
  t.deepEqual(statuses, [200, 200, 429]);
  t.is(strict.mails.length, 2);
});

test('inviting an address again replaces what was sent before; a taken back one is over', async (t) => {
  const partnerId = await aPartner();
  const owner = await partnerBrowser(portal, partnerId);
  const first = await invite(owner, 'again@shop.example');
  const second = await invite(owner, 'again@shop.example', 'viewer');
  t.not(first, second);
  t.is((await new Browser(portal).open(first)).status, 404);
  const { html } = await owner.open('/team');
  const [, action = ''] = /action="(\/team\/invitations\/ivt_\w+\/revoke)"/.exec(html) ?? [];
  await owner.submit(action);
  t.is((await new Browser(portal).open(second)).status, 404);
});

test.serial('an invitation is over after a week', async (t) => {
  const owner = await partnerBrowser(portal, await aPartner());
  const path = await invite(owner, 'late@shop.example');
  t.teardown(() => portal.setClockOffsetMs(0));
  portal.setClockOffsetMs(7 * 24 * 3_600_000 + 1_000);
  t.is((await new Browser(portal).open(path)).status, 404);
});

test('who is in the team is not invited again; who is in another’s is not told of', async (t) => {
  const [partnerId, otherId] = [await aPartner(), await aPartner()];
  const owner = await partnerBrowser(portal, partnerId);
  const own = await aUser(portal, { partnerId, role: 'viewer' });
  const foreign = await aUser(portal, { partnerId: otherId });
  await owner.open('/team/invite');
  const refused = await owner.submit('/team/invite', { email: own.email ?? '', role: 'viewer' });
  t.is(refused.status, 409);
  t.regex(textOf(refused.html), /already belongs to somebody in the team/);
  const path = await invite(owner, foreign.email ?? '');
  const { shown } = await accept(path);
  t.is(shown.status, 409);
  t.regex(textOf(shown.html), /already signs in with this address/);
  t.like(await portal.deps.models.users.findById(foreign._id).lean(), { partnerId: otherId });
});

test('an owner changes a role, which holds from the next page on', async (t) => {
  const partnerId = await aPartner();
  const owner = await partnerBrowser(portal, partnerId);
  const user = await aUser(portal, { partnerId, role: 'viewer' });
  const browser = await signedIn(portal, user);
  t.is((await browser.open('/team/invite')).status, 403);
  await owner.open(`/team/users/${user._id}`);
  await owner.submit(`/team/users/${user._id}/role`, { role: 'owner' });
  t.is((await browser.open('/team/invite')).status, 200);
  const entry = await portal.deps.models.auditEntries.findOne({ targetId: user._id }).lean();
  t.like(entry, { action: 'user.change-role', details: { from: 'viewer', to: 'owner' } });
});

test('who is removed is out at once, and may be invited anew', async (t) => {
  const partnerId = await aPartner();
  const owner = await partnerBrowser(portal, partnerId);
  const user = await aUser(portal, { partnerId, role: 'viewer' });
  const browser = await signedIn(portal, user);
  await owner.open(`/team/users/${user._id}`);
  t.is((await owner.submit(`/team/users/${user._id}/remove`)).path, '/team');
  t.regex((await browser.open('/home')).path, /^\/sign-in/);
  const removed = await portal.deps.models.users.findById(user._id).lean();
  t.like(removed, { email: null, passwordHash: null, secondFactor: null, name: user.name });
  t.is((await accept(await invite(owner, user.email ?? ''))).shown.path, '/home');
});

test('a cookie alone removes nobody, and who gets another role is told', async (t) => {
  const partnerId = await aPartner();
  const [thief, victim] = [
    await aUser(portal, { partnerId, role: 'owner' }),
    await aUser(portal, { partnerId, role: 'owner' }),
  ];
  const cookie = await signedIn(portal, thief, { isStrong: false });
  await cookie.open('/account');
  await cookie.post(`/team/users/${victim._id}/remove`);
  const { users } = portal.deps.models;
  t.is((await users.findById(victim._id).lean())?.disabledAt, null);
  const owner = await signedIn(portal, thief);
  await owner.open(`/team/users/${victim._id}`);
  await owner.submit(`/team/users/${victim._id}/role`, { role: 'viewer' });
  const [mail] = portal.mails.filter(({ to }) => to === victim.email);
  t.regex(mail?.text ?? '', /Your role in your team is viewer now/);
});

test('whom somebody invited who is removed, or an owner no more, is invited no more', async (t) => {
  const partnerId = await aPartner();
  const owner = await partnerBrowser(portal, partnerId);
  for (const [action, fields] of [
    ['remove', {}],
    ['role', { role: 'developer' }],
  ] as const) {
    const thief = await aUser(portal, { partnerId });
    const link = await invite(await signedIn(portal, thief), `${action}@mallory.example`);
    await owner.open(`/team/users/${thief._id}`);
    t.is((await owner.submit(`/team/users/${thief._id}/${action}`, fields)).status, 200);
    t.regex(textOf((await new Browser(portal).open(link)).html), /This invitation is over/);
  }
});

test('the last owner stays: neither removed nor given another role, nor two by each other', async (t) => {
  const partnerId = await aPartner();
  const user = await aUser(portal, { partnerId });
  const owner = await signedIn(portal, user);
  const path = `/team/users/${user._id}`;
  for (const [action, fields] of [
    [`${path}/remove`, {}],
    [`${path}/role`, { role: 'viewer' }],
  ] as const) {
    await owner.open(path);
    const { status, html } = await owner.submit(action, fields);
    t.is(status, 409, action);
    t.regex(textOf(html), /A team needs an owner/);
  }
  const second = await aUser(portal, { partnerId });
  const other = await signedIn(portal, second);
  await owner.open(`/team/users/${second._id}`);
  await other.open(path);
  await Promise.all([
    owner.submit(`/team/users/${second._id}/remove`),
    other.submit(`${path}/remove`),
  ]);
  const left = { partnerId, role: 'owner' as const, disabledAt: null };
  t.true((await portal.deps.models.users.countDocuments(left)) >= 1);
});

test('who of a team has no second factor is shown to its owners alone', async (t) => {
  const partnerId = await aPartner();
  for (const role of ['owner', 'developer', 'viewer'] as const) {
    const { html } = await (await partnerBrowser(portal, partnerId, role)).open('/team');
    t.is(/Second factor/.test(textOf(html)), role === 'owner', role);
  }
});

test('a team has an end', async (t) => {
  const partnerId = await aPartner();
  const owner = await partnerBrowser(portal, partnerId);
  await Promise.all(Array.from({ length: 99 }, () => aUser(portal, { partnerId, role: 'viewer' })));
  await owner.open('/team/invite');
  const { status } = await owner.submit('/team/invite', {
    email: 'more@a.example',
    role: 'viewer',
  });
  t.is(status, 409);
});

test('an operator invites the first owner: on the page, and through the operators’ API', async (t) => {
  const partnerId = await aPartner();
  const admin = await operatorBrowser(portal);
  const path = `/admin/partners/${partnerId}`;
  await admin.open(path);
  const shown = await admin.submit(`${path}/invite`, { email: 'one@shop.example' });
  t.regex(textOf(shown.html), /on its way/);
  const mail = portal.mails.find(({ to }) => to === 'one@shop.example');
  t.is((await accept(`/invitations/${tokenIn(mail)}`)).shown.path, '/home');
  const user = await portal.deps.models.users.findOne({ email: 'one@shop.example' }).lean();
  t.like(user, { partnerId, role: 'owner' });

  const ada = new Operator(service, service.adminToken);
  const reply = await ada.post(`/partners/${partnerId}/invitations`, { email: 'Two@shop.example' });
  t.is(reply.status, 201);
  t.like(reply.body, { email: 'two@shop.example', role: 'owner', partnerId });
  const sent = service.mails.find(({ to }) => to === 'two@shop.example');
  t.regex(tokenIn(sent), /^[\w-]{43}$/);
  t.false(reply.text.includes(tokenIn(sent)), 'whoever reads the mail accepts, and nobody else');
  const entry = await portal.deps.models.auditEntries
    .findOne({ partnerId, action: 'partner.invite', targetId: reply.body.invitationId })
    .lean();
  t.like(entry, { status: 'DONE', details: { role: 'owner' } });
  const support = await anotherOperator(service, 'Sue', 'support');
  const refused = await support.post(`/partners/${partnerId}/invitations`, { email: 'a@b.co' });
  t.is(refused.status, 403);
});

test('an operator is made with an address, signs in with it by mail, and is out once revoked', async (t) => {
  const ada = new Operator(service, service.adminToken);
  const email = 'grace@operators.example';
  const fields = { name: 'Grace', role: 'support', email };
  const made = await ada.post('/operators', fields);
  t.is(made.status, 201);
  const { operatorId } = made.body;
  t.deepEqual(made.body.tokens, []);
  const user = await portal.deps.models.users.findOne({ email }).lean().orFail();
  t.like(user, { operatorId: operatorId, partnerId: null, role: null, passwordHash: null });
  t.is((await ada.post('/operators', { ...fields, name: 'Eve' })).status, 409);
  const browser = await signedIn(portal, user);
  t.is((await browser.open('/admin')).status, 200);
  const invitedBy = operatorId;
  await portal.deps.models.invitations.create({
    ...{ _id: newId('invitation'), partnerId: await aPartner(), email, role: 'owner', invitedBy },
    ...{ tokenHash: 'a hash', createdAt: new Date(), expiresAt: new Date(Date.now() + 60_000) },
  });
  await ada.delete(`/operators/${operatorId}`);
  t.is(await portal.deps.models.invitations.countDocuments({ invitedBy }), 0);
  t.regex((await browser.open('/admin')).path, /^\/sign-in/);
  t.is((await ada.post('/operators', { ...fields, name: 'Grace again' })).status, 201);
});

test('the names of partners’ users stand in the operators’ view of the trail', async (t) => {
  const partnerId = await aPartner();
  const user = await aUser(portal, { partnerId, name: 'Olive Owner' });
  await invite(await signedIn(portal, user), 'trail@shop.example');
  const ada = new Operator(service, service.adminToken);
  const { items } = (await ada.get(`/audit?partner=${partnerId}`)).body;
  t.like(items[0], { actorId: user._id, actorName: 'Olive Owner', action: 'user.invite' });
});
