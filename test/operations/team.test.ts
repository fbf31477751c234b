import test from 'ava';
import { defaultNotices, type PartnerRole } from '../../domain/partners.ts';
import { startSession } from '../../models/identity/sessions.ts';
import type { UserDoc } from '../../models/schemas/people.ts';
import { maxInvitationsOfOne } from '../../models/store/mail-quotas.ts';
import { createAccessToken } from '../../operations/account.ts';
import { system, type UserActor } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { createOperator, revokeOperator } from '../../operations/operators.ts';
import { createPartner, invitePartner } from '../../operations/partners.ts';
import {
  acceptInvitation,
  changeUserRole,
  inviteUser,
  removeUser,
  revokeInvitation,
} from '../../operations/users.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { readInvitation, readNotices } from '../../views/account.ts';
import { asOperator, operate } from '../helpers/operate.ts';
import { tokenIn } from '../portal/helpers/fixtures.ts';
import { aUser } from '../portal/helpers/people.ts';
import { openWorkplace, type Workplace } from './helpers/workplace.ts';

let work: Workplace;
test.before(async () => {
  work = await openWorkplace({ FOUR_EYES: 'off' });
});
test.after.always(() => work?.close());

const actorOf = ({ _id: id, role, partnerId }: UserDoc): UserActor => ({
  kind: 'user',
  id,
  requestId: 'req_test',
  factor: 'TOKEN',
  role: role ?? 'viewer',
  partnerId: partnerId ?? '',
});

async function aTeam() {
  const { _id: partnerId } = await operate(work.deps, createPartner, { name: 'Corner Shop' });
  const owner = await aUser(work, { partnerId });
  return { partnerId, owner, by: actorOf(owner) };
}

/** @returns the invitation, with the token from its email */
async function invite(by: UserActor, email: string, role: PartnerRole = 'developer') {
  const { partnerId } = by;
  const invitation = await execute(work.deps, inviteUser, by, { partnerId, email, role });
  const token = tokenIn(work.mails.findLast(({ to }) => to === email.toLowerCase()));
  return { ...invitation, token };
}

const accept = ({ _id: invitationId }: { _id: string }) =>
  execute(work.deps, acceptInvitation, system('test'), {
    invitationId,
    name: 'Bob',
    password: 'a long enough one',
  });

const isOver = { code: 'NOT_FOUND', message: /This invitation is no longer valid/ };
const userOf = (userId: string) => work.models.users.findById(userId).orFail();

test('accepting an invitation, once, joins the team in the invited role', async (t) => {
  const { partnerId, by } = await aTeam();
  const invitation = await invite(by, 'Bob.New@Shop.example');
  t.like(await readInvitation(work.deps, invitation.token), { _id: invitation._id });
  const user = await accept(invitation);
  t.like(user, { partnerId, role: 'developer', name: 'Bob', operatorId: null });
  t.is(user.email, 'bob.new@shop.example');
  t.deepEqual(await readNotices(work, user._id), {
    notices: [...defaultNotices.developer],
    rhythm: 'AT_ONCE',
  });
  await t.throwsAsync(accept(invitation), isOver);
  t.is(await readInvitation(work.deps, invitation.token), 'ACCEPTED');
  const entries = await work.models.auditEntries.find({ partnerId, status: 'DONE' });
  t.deepEqual(entries.map(({ action }) => action).toSorted(), [
    'user.accept-invitation',
    'user.invite',
  ]);
  t.false(JSON.stringify(entries).includes('shop.example'), 'the audit log contains no address');
});

test('of two concurrent acceptances, one creates the user', async (t) => {
  const { by } = await aTeam();
  const invitation = await invite(by, 'twice@shop.example');
  const both = await Promise.allSettled([accept(invitation), accept(invitation)]);
  t.is(both.filter(({ status }) => status === 'fulfilled').length, 1);
  t.is(await work.models.users.countDocuments({ email: 'twice@shop.example' }), 1);
});

test('an invitation withdrawn during its acceptance creates no user', async (t) => {
  const { models, deps } = work;
  const { partnerId, by } = await aTeam();
  const email = 'meanwhile@shop.example';
  const invitation = await invite(by, email);
  const { collection } = models.users;
  const insertOne = collection.insertOne.bind(collection);
  collection.insertOne = async (doc, ...options) => {
    if (doc.email === email)
      await operate(deps, revokeInvitation, { partnerId, invitationId: invitation._id });
    return await insertOne(doc, ...options);
  };
  t.teardown(() => Reflect.deleteProperty(collection, 'insertOne'));
  await t.throwsAsync(accept(invitation), isOver);
  t.is(await models.users.countDocuments({ email }), 0);
});

test('a new invitation to an address replaces the previous one, and expires after a week', async (t) => {
  const { by } = await aTeam();
  const first = await invite(by, 'again@shop.example');
  const atMs = Date.now();
  const at = (ms: number) => ({ ...work.deps, now: () => atMs + ms });
  const { partnerId } = by;
  const again = { partnerId, email: 'again@shop.example', role: 'viewer' as const };
  await execute(at(0), inviteUser, by, again);
  const token = tokenIn(work.mails.findLast(({ to }) => to === again.email));
  t.is(await readInvitation(work.deps, first.token), 'WITHDRAWN');
  await t.throwsAsync(accept(first), isOver);
  const weekMs = 7 * 24 * 3_600_000;
  t.like(await readInvitation(at(weekMs - 1), token), { role: 'viewer' });
  t.is(await readInvitation(at(weekMs), token), 'EXPIRED');
  await work.models.invitations.deleteOne({ tokenHash: sha256Hex(token) });
  t.is(
    await readInvitation(at(weekMs + 1_000), token),
    'EXPIRED',
    'even after the invitation is deleted',
  );
});

test('a team member cannot be invited again; another team’s member is not revealed', async (t) => {
  const [one, other] = [await aTeam(), await aTeam()];
  const emailOf = ({ owner }: typeof one) => owner.email ?? '';
  await t.throwsAsync(invite(one.by, emailOf(one)), {
    code: 'CONFLICT',
    message: /already belongs to someone on the team/,
  });
  const invitation = await invite(one.by, emailOf(other));
  await t.throwsAsync(accept(invitation), {
    code: 'CONFLICT',
    message: /already has an account/,
  });
  t.is((await userOf(other.owner._id)).partnerId, other.partnerId);
});

test('a team has a limited size', async (t) => {
  const { partnerId, by } = await aTeam();
  await Promise.all(Array.from({ length: 98 }, () => aUser(work, { partnerId, role: 'viewer' })));
  await invite(by, 'last@a.example');
  await t.throwsAsync(invite(by, 'more@a.example'), { code: 'CONFLICT', message: /at most 100/ });
  await t.notThrowsAsync(invite(by, 'last@a.example'), 'the same address can be invited again');
});

test('of simultaneous invitations, as many are written as the team has room for', async (t) => {
  const { partnerId, by } = await aTeam();
  await Promise.all(Array.from({ length: 96 }, () => aUser(work, { partnerId, role: 'viewer' })));
  const invited = await Promise.allSettled(
    Array.from({ length: 8 }, (_, nth) => invite(by, `${partnerId}-${nth}@a.example`)),
  );
  t.is(invited.filter(({ status }) => status === 'fulfilled').length, 3);
  t.is(await work.models.invitations.countDocuments({ partnerId }), 3);
});

test('a refused invitation leaves the earlier one open, and uses up nothing of another partner’s', async (t) => {
  const [one, other] = [await aTeam(), await aTeam()];
  const email = `${one.partnerId}@a.example`;
  const ofOther = await invite(other.by, email);
  let last = await invite(one.by, email);
  for (let nth = 1; nth < maxInvitationsOfOne; nth++) last = await invite(one.by, email);
  await t.throwsAsync(invite(one.by, email), { code: 'RATE_LIMITED' });
  for (const invitation of [last, ofOther]) {
    t.like(await readInvitation(work.deps, invitation.token), { _id: invitation._id });
  }
  await t.notThrowsAsync(invite(other.by, email));
});

test('a role change is stored and announced, and withdraws a former owner’s invitations', async (t) => {
  const { deps, models } = work;
  const { partnerId, by } = await aTeam();
  const user = await aUser(work, { partnerId });
  await invite(actorOf(user), 'accomplice@mallory.example', 'owner');
  const { _id: userId } = user;
  const change = (role: PartnerRole) =>
    execute(deps, changeUserRole, by, { partnerId, userId, role });
  const invited = () => models.invitations.countDocuments({ invitedBy: userId });
  await change('owner');
  t.is(await invited(), 1);
  await change('viewer');
  t.is((await userOf(userId)).role, 'viewer');
  t.is(await invited(), 0);
  const entries = await models.auditEntries.find({ targetId: userId }).sort({ _id: 1 });
  t.like(entries.at(-1), { action: 'user.change-role', details: { from: 'owner', to: 'viewer' } });
  const [mail, ...others] = work.mails.filter(({ to }) => to === user.email);
  t.deepEqual(others, []);
  t.regex(mail?.text ?? '', /Your role in your team is now viewer/);
});

test('a removed user leaves only their name, and their address can be invited again', async (t) => {
  const { deps, models } = work;
  const { partnerId, by } = await aTeam();
  const user = await aUser(work, { partnerId });
  const { _id: userId, email } = user;
  await invite(actorOf(user), 'accomplice@mallory.example');
  const where = { userAgent: 'test', address: '127.0.0.1' };
  await startSession(deps, { userId, signedInBy: 'PASSWORD', ...where });
  await operate(deps, createAccessToken, { partnerId, userId, name: 'x', days: 90 });
  await execute(deps, removeUser, by, { partnerId, userId });
  const removed = await userOf(userId);
  t.like(removed, { email: null, passwordHash: null, secondFactor: null, name: user.name });
  t.truthy(removed.disabledAt);
  t.is(await models.sessions.countDocuments({ userId }), 0);
  t.is(await models.accessTokens.countDocuments({ userId }), 0);
  t.is(await models.invitations.countDocuments({ invitedBy: userId }), 0);
  t.regex(work.mails.findLast(({ to }) => to === email)?.text ?? '', /You were removed/);
  t.is((await accept(await invite(by, email ?? ''))).email, email);
});

test('the last owner can be neither removed nor demoted, even by two at once', async (t) => {
  const { deps, models } = work;
  const { partnerId, owner, by } = await aTeam();
  const refused = { code: 'CONFLICT', message: /A team needs an owner/ };
  const remove = (actor: UserActor, { _id: userId }: UserDoc) =>
    execute(deps, removeUser, actor, { partnerId, userId });
  const lower = (actor: UserActor, { _id: userId }: UserDoc) =>
    execute(deps, changeUserRole, actor, { partnerId, userId, role: 'viewer' });
  for (const end of [remove, lower]) await t.throwsAsync(end(by, owner), refused);
  t.like(await userOf(owner._id), { role: 'owner', disabledAt: null, email: owner.email });
  const second = await aUser(work, { partnerId });
  await Promise.allSettled([remove(by, second), remove(actorOf(second), owner)]);
  const left = { partnerId, role: 'owner' as const, disabledAt: null };
  t.true((await models.users.countDocuments(left)) >= 1);
});

test('revoking an operator ends their sign-in and their invitations, and frees the address', async (t) => {
  const { deps, models } = work;
  const ada = asOperator((await work.operator()).id);
  const fields = { name: 'Grace', role: 'support' as const, email: 'grace@operators.example' };
  const create = () => execute(deps, createOperator, ada, fields);
  const made = await create();
  if (!made.isDone) return t.fail();
  const { _id: operatorId } = made.outcome;
  const user = await models.users.findOne({ operatorId }).orFail();
  t.like(user, { partnerId: null, role: null, passwordHash: null, email: fields.email });
  const { notices } = await readNotices({ models }, user._id);
  t.deepEqual(notices, ['review.waiting', 'review.due', 'review.answered']);
  await t.throwsAsync(create(), { code: 'CONFLICT' });

  const { partnerId } = await aTeam();
  const owner = { partnerId, email: 'first@shop.example', role: 'owner' as const };
  await execute(deps, invitePartner, asOperator(operatorId), owner);
  const where = { userAgent: 'test', address: '127.0.0.1' };
  await startSession(deps, { userId: user._id, signedInBy: 'LINK', ...where });
  await execute(deps, revokeOperator, ada, { operatorId });
  t.is(await models.invitations.countDocuments({ invitedBy: operatorId }), 0);
  t.is(await models.sessions.countDocuments({ userId: user._id }), 0);
  t.true((await create()).isDone);
});
