import test from 'ava';
import { enrollSecondFactor } from '../../models/identity/second-factors.ts';
import type { UserDoc } from '../../models/schemas/people.ts';
import { changePassword, createAccessToken } from '../../operations/account.ts';
import { rotateOwnToken } from '../../operations/operator-tokens.ts';
import { resetOperatorFactor } from '../../operations/operators.ts';
import { operate } from '../helpers/operate.ts';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { anOperator, aUser, operatorBrowser, partnerBrowser, signedIn } from './helpers/people.ts';
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

test('an admin resets an owner’s second factor, and leaves the rest of a team to the owner', async (t) => {
  const { partnerId } = await service.partner();
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
