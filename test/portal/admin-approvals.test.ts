import { randomUUID } from 'node:crypto';
import test from 'ava';
import { enrollSecondFactor } from '../../models/identity/second-factors.ts';
import type { UserDoc } from '../../models/schemas/people.ts';
import { changePassword, createAccessToken } from '../../operations/account.ts';
import { rotateOwnToken } from '../../operations/operator-tokens.ts';
import { resetOperatorFactor } from '../../operations/operators.ts';
import { createPartner } from '../../operations/partners.ts';
import { operate } from '../helpers/operate.ts';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { partnerInReview } from './helpers/partner-in-review.ts';
import { anOperator, aUser, operatorBrowser, partnerBrowser, signedIn } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;

const stateOf = async (partnerId: string) =>
  (await service.models.partners.findById(partnerId).orFail()).goLive.state;

test('a go-live needs two operators, with its evidence in view', async (t) => {
  const { partnerId, path, evidence } = await partnerInReview(service, 'Harbour Coffee');
  const [ada, bob] = await Promise.all([operatorBrowser(portal), operatorBrowser(portal)]);
  const home = await ada.open('/admin');
  t.true(home.html.includes(path), 'the home page lists the request');
  const { html } = await ada.open(path);
  for (const id of evidence) t.regex(html, new RegExp(`href="/admin/[a-z]+/${id}"`));
  const checklist = textOf(html);
  for (const said of [
    /Top-up of \$/,
    /Purchase of order /,
    /Refund of order /,
    /points for every/,
  ]) {
    t.regex(checklist, said);
  }
  for (const id of evidence) t.notRegex(checklist, new RegExp(id), 'evidence is no id');
  t.regex(checklist, /Harbour Coffee Ltd .* LIVE funds \$123\.45/);
  t.regex(checklist, /Approve … .* needs two operators.* Send back with notes …/);
  for (const id of evidence) {
    const link = new RegExp(`href="(/admin/[a-z]+/${id})"`).exec(html)?.[1] ?? '';
    t.is((await bob.open(link)).status, 200, link);
  }

  await ada.open(path);
  const proposed = await ada.submit(`${path}/approve`);
  t.regex(proposed.path, /^\/admin\/approvals\//);
  t.regex(textOf(proposed.html), /Make Harbour Coffee live/);
  t.is(await stateOf(partnerId), 'IN_REVIEW');
  t.regex(
    html,
    /<details class="confirm ?" ?><summary>Approve …/,
    'the approval is not styled as dangerous',
  );
  const asked = await bob.open(proposed.path);
  t.regex(asked.html, /<button type="submit" class="primary">Approve and carry out</);
  await bob.submit(`${proposed.path}/approve`, {});
  t.is(await stateOf(partnerId), 'LIVE');
  const partner = await partnerBrowser(portal, partnerId);
  t.regex(textOf((await partner.open('/home')).html), /Next Generate LIVE credentials/);
});

test('a go-live is sent back, and the partner reads the notes', async (t) => {
  const { partnerId, path } = await partnerInReview(service, 'Unclear Shop');
  const ada = await operatorBrowser(portal);
  await ada.open(path);
  t.regex(textOf((await ada.submit(`${path}/return`)).html), /Give a reason/);
  const notes = 'Whose address is on the website? <b>It is not yours.</b>';
  await ada.submit(`${path}/return`, { reason: notes });
  t.is(await stateOf(partnerId), 'CHANGES_REQUESTED');
  const partner = await partnerBrowser(portal, partnerId);
  const shown = await partner.open('/home');
  t.true(textOf(shown.html).includes(notes));
  t.false(shown.html.includes('<b>It is'));
});

test('a missing item is named, and the request cannot be approved', async (t) => {
  const { partnerId, path } = await partnerInReview(service, 'Half Shop');
  await service.models.partners.updateOne({ _id: partnerId }, { $set: { website: null } });
  const ada = await operatorBrowser(portal);
  const { html } = await ada.open(path);
  t.regex(textOf(html), /Missing Fill in: Website\./);
  t.false(html.includes(`${path}/approve`));
  const viewer = await operatorBrowser(portal, 'viewer');
  t.notRegex((await viewer.open(path)).html, /\/approve"|\/return"/);
});

test('a partner is suspended and resumed', async (t) => {
  const { partnerId } = await service.partner();
  const path = `/admin/partners/${partnerId}`;
  const ada = await operatorBrowser(portal);
  const statusOf = async () => (await service.models.partners.findById(partnerId).orFail()).status;
  await ada.open(path);
  t.regex(textOf((await ada.submit(`${path}/suspend`)).html), /Partner suspended/);
  t.is(await statusOf(), 'SUSPENDED');
  const says = /can claim and spend\. This needs the approval of another operator\./;
  t.regex(textOf((await ada.open(path)).html), says);
  const alone = await startPortal(service, { config: configOf(service, { FOUR_EYES: 'off' }) });
  t.teardown(() => alone.stop());
  t.notRegex(textOf((await (await operatorBrowser(alone)).open(path)).html), says);
  const proposed = await ada.submit(`${path}/resume`);
  t.is(await statusOf(), 'SUSPENDED');
  const bob = await operatorBrowser(portal);
  await bob.open(proposed.path);
  await bob.submit(`${proposed.path}/approve`, {});
  t.is(await statusOf(), 'ACTIVE');
});

const secretIn = (html: string): string => /sk_(?:live|test)_[\w-]{43}/.exec(html)?.[0] ?? '';
const tokenIn = (html: string): string => /admin_[\w-]{43}/.exec(html)?.[0] ?? '';

test('a LIVE key needs approval, and its secret is shown to an owner, once, and to no operator', async (t) => {
  const { partnerId, integrationId } = await service.partner({ mode: 'LIVE' });
  const [ada, bob] = await Promise.all([operatorBrowser(portal), operatorBrowser(portal)]);
  const path = `/admin/partners/${partnerId}/credentials/new`;
  await ada.open(path);
  const proposed = await ada.submit(path, { integrationId, mode: 'LIVE', scopes: 'write' });
  t.regex(textOf(proposed.html), /Create a LIVE key of Corner Shop for web shop/);
  t.is(secretIn(proposed.html), '');
  await bob.open(proposed.path);
  const approved = await bob.submit(`${proposed.path}/approve`, {});
  t.regex(textOf(approved.html), /An owner of the partner is shown the secret, once/);
  t.is(secretIn(approved.html), '');
  t.is(secretIn((await bob.open('/revealed')).html), '');
  const keys = await service.models.credentials.find({ partnerId, mode: 'LIVE' }).sort({ _id: 1 });
  t.is(keys.length, 2);
  const { _id: credentialId = '', secrets = [] } = keys[1] ?? {};

  const [owner, developer] = await Promise.all([
    partnerBrowser(portal, partnerId),
    partnerBrowser(portal, partnerId, 'developer'),
  ]);
  const page = `/keys/${credentialId}?mode=LIVE`;
  const show = `/keys/secrets/${secrets[0]?.secretId}/show`;
  t.false((await developer.open(page)).html.includes(show));
  t.true((await owner.open(page)).html.includes(show));
  const shown = await owner.submit(show, {});
  t.regex(secretIn(shown.html), /^sk_live_/);
  t.is(shown.headers.get('cache-control'), 'no-store');
  t.false((await owner.open(page)).html.includes(show));
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
  await bob.submit(`${proposed.path}/approve`, {});
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
  const name = `Mallory ${randomUUID()}`;
  const asked = { name, role: 'admin', email: address };
  const proposed = await ada.submit(create, asked);
  t.is(await service.models.operators.countDocuments({ name }), 0);
  await bob.open(proposed.path);
  const shown = textOf(bob.shown?.html ?? '');
  t.true(
    shown.includes(`Operator None ${name}, admin, ${address}`),
    'the approver sees the address',
  );
  const made = await bob.submit(`${proposed.path}/approve`, {});
  t.is(tokenIn(made.html), '');
  const operator = await service.models.operators.findOne({ name }).orFail();
  t.deepEqual(operator.tokens, []);

  const page = `/admin/operators/${operator._id}`;
  await bob.open(page);
  t.is((await bob.submit(`${page}/confirm`)).status, 403, 'who approved them lets them in as well');
  const cy = await operatorBrowser(portal);
  await cy.open(page);
  t.regex(textOf((await cy.submit(`${page}/confirm`)).html), /Mallory \S+ confirmed/);
  await bob.open(page);
  const lowered = await bob.submit(`${page}/role`, { role: 'viewer' });
  t.regex(textOf(lowered.html), /Role changed.*has to approve a role that can do more/);
  const raised = await bob.submit(`${page}/role`, { role: 'finance' });
  t.regex(raised.path, /^\/admin\/approvals\//);
  await bob.open(page);
  t.regex(textOf((await bob.submit(`${page}/revoke`)).html), /Mallory \S+ revoked/);
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

test.before(async () => {
  service = await startService();
  portal = await startPortal(service, { config: configOf(service, { FOUR_EYES: 'on' }) });
});

test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

/** Enrolls a second factor for the user. */
async function enrolled(user: UserDoc): Promise<UserDoc> {
  const { models, sealer, now, config } = portal.deps;
  const { customerHashKey } = config;
  await enrollSecondFactor({ models, sealer, now, customerHashKey }, user._id, {
    secret: 'JBSWY3DPEHPK3PXP',
    step: 1,
  });
  return await factorOf(user);
}
const factorOf = ({ _id }: UserDoc) => portal.deps.models.users.findById(_id).orFail();
const mailsTo = ({ email }: UserDoc) => portal.mails.filter(({ to }) => to === email);

test('an owner resets a teammate’s second factor, which signs them out and notifies them', async (t) => {
  const { partnerId } = await service.partner();
  const bob = await enrolled(await aUser(portal, { partnerId, role: 'developer', name: 'Bob' }));
  const bobs = await signedIn(portal, bob);
  const owner = await partnerBrowser(portal, partnerId);
  const page = `/team/users/${bob._id}`;
  await owner.open(page);
  const done = await owner.submit(`${page}/second-factor/reset`);
  t.regex(textOf(done.html), /Second factor reset/);
  t.is((await factorOf(bob)).secondFactor, null);
  t.is((await bobs.ask('GET', '/account')).status, 303);
  t.regex(mailsTo(bob)[0]?.text ?? '', /second factor .* was reset/);
  const operation = await service.models.auditEntries.findOne({
    partnerId,
    action: 'user.reset-second-factor',
  });
  t.like(operation, { status: 'DONE', targetId: bob._id });
  t.false(done.html.includes('second-factor/reset'), 'there is nothing left to reset');
});

test('a reset revokes what the factor authorized, even after a crash midway', async (t) => {
  const { models } = service;
  const { partnerId } = await service.partner();
  const bob = await enrolled(await aUser(portal, { partnerId, role: 'developer' }));
  const bobs = await signedIn(portal, bob);
  await operate(portal.deps, createAccessToken, {
    partnerId,
    userId: bob._id,
    name: 'x',
    days: 90,
  });
  const owner = await partnerBrowser(portal, partnerId);
  const page = `/team/users/${bob._id}`;
  const { collection } = models.users;
  const updateOne = collection.updateOne.bind(collection);
  collection.updateOne = async (filter, ...rest) => {
    if (String(filter._id) === bob._id) throw new Error('killed');
    return await updateOne(filter, ...rest);
  };
  t.teardown(() => Reflect.deleteProperty(collection, 'updateOne'));
  await owner.open(page);
  t.is((await owner.submit(`${page}/second-factor/reset`)).status, 500);
  t.is((await bobs.ask('GET', '/account')).status, 303);
  t.is(await models.accessTokens.countDocuments({ userId: bob._id }), 0);

  Reflect.deleteProperty(collection, 'updateOne');
  await owner.open(page);
  await owner.submit(`${page}/second-factor/reset`);
  t.is((await factorOf(bob)).secondFactor, null);
  t.is(mailsTo(bob).length, 1);
});

test('nobody can reset their own second factor', async (t) => {
  const { partnerId } = await service.partner();
  const ann = await enrolled(await aUser(portal, { partnerId }));
  const anns = await signedIn(portal, ann);
  await anns.open(`/team/users/${ann._id}`);
  t.false(anns.shown?.html.includes('second-factor/reset'));
  t.is((await anns.post(`/team/users/${ann._id}/second-factor/reset`)).status, 403);
  t.truthy((await factorOf(ann)).secondFactor);
  t.deepEqual(mailsTo(ann), []);
});

test('an admin resets the second factor of an owner in TEST, and leaves the rest of a team to the owner', async (t) => {
  const { _id: partnerId } = await operate(portal.deps, createPartner, { name: 'New Shop' });
  const owner = await enrolled(await aUser(portal, { partnerId }));
  const developer = await enrolled(await aUser(portal, { partnerId, role: 'developer' }));
  const admin = await operatorBrowser(portal);
  const page = `/admin/partners/${partnerId}`;
  await admin.open(page);
  const refused = await admin.post(`${page}/users/${developer._id}/second-factor/reset`);
  t.is(refused.status, 409);
  await admin.open(page);
  await admin.submit(`${page}/users/${owner._id}/second-factor/reset`);
  t.is((await factorOf(owner)).secondFactor, null);
  t.truthy((await factorOf(developer)).secondFactor);
  t.is(mailsTo(owner).length, 1);
});

test('resetting the second factor of an owner of a LIVE partner takes two admins', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const owner = await enrolled(await aUser(portal, { partnerId }));
  const [ada, bob] = [await operatorBrowser(portal), await operatorBrowser(portal)];
  const page = `/admin/partners/${partnerId}`;
  await ada.open(page);
  const proposed = await ada.submit(`${page}/users/${owner._id}/second-factor/reset`);
  t.regex(textOf(proposed.html), /Reset the second factor of .*, an owner of/);
  t.truthy((await factorOf(owner)).secondFactor);
  await bob.open(proposed.path);
  await bob.submit(`${proposed.path}/approve`, {});
  t.is((await factorOf(owner)).secondFactor, null);
  t.is(mailsTo(owner).length, 1);
});

test('resetting an operator’s second factor takes two admins, a viewer’s one', async (t) => {
  const lost = await enrolled(await anOperator(portal, 'finance'));
  const ada = await operatorBrowser(portal);
  const page = `/admin/operators/${lost.operatorId}`;
  await ada.open(page);
  const proposed = await ada.submit(`${page}/second-factor/reset`);
  t.regex(textOf(proposed.html), /Reset the second factor of the operator/);
  t.truthy((await factorOf(lost)).secondFactor);

  const viewer = await enrolled(await anOperator(portal, 'viewer'));
  const path = `/admin/operators/${viewer.operatorId}`;
  await ada.open(path);
  await ada.submit(`${path}/second-factor/reset`);
  t.is((await factorOf(viewer)).secondFactor, null);
  t.is(mailsTo(viewer).length, 1);
});

test('an operator’s tokens are revoked with the second factor and with the password', async (t) => {
  const { models } = service;
  for (const end of ['second factor', 'password'] as const) {
    const sue = await enrolled(await anOperator(portal, 'viewer'));
    const operatorId = sue.operatorId ?? '';
    const { token } = await operate(portal.deps, rotateOwnToken, {}, { as: operatorId });
    const ask = () =>
      fetch(`${service.adminUrl}/operators/me`, { headers: { authorization: `Bearer ${token}` } });
    t.is((await ask()).status, 200);
    if (end === 'password') {
      const change = { password: 'another one, and long', sessionId: 'none' };
      await operate(portal.deps, changePassword, change, { as: sue._id });
    } else await operate(portal.deps, resetOperatorFactor, { operatorId });
    t.is((await ask()).status, 401, end);
    const { tokens } = await models.operators.findById(operatorId).orFail();
    t.true(tokens.every(({ revokedAt }) => revokedAt !== null));
    t.regex(mailsTo(sue).at(-1)?.text ?? '', new RegExp(`Your ${end}`));
  }
});
