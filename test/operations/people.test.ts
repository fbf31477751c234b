import { randomUUID } from 'node:crypto';
import test from 'ava';
import { introductionMs } from '../../domain/introductions.ts';
import type { PartnerRole } from '../../domain/partners.ts';
import { actionsPerHour } from '../../models/store/action-quotas.ts';
import { dailyMailQuotas } from '../../models/store/mail-quotas.ts';
import { chooseTimeZone, endOwnSessions } from '../../operations/account.ts';
import type { OperatorActor, UserActor } from '../../operations/actor.ts';
import { updateBranding } from '../../operations/branding.ts';
import { beginContactEmail } from '../../operations/contact-email.ts';
import { activateRule, createRule } from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { approveGoLive } from '../../operations/go-live.ts';
import { updateIntegration } from '../../operations/integrations.ts';
import {
  changeRole,
  confirmOperator,
  createOperator,
  createOperatorUser,
  resetOperatorFactor,
  revokeOperator,
} from '../../operations/operators.ts';
import { invitePartner, updatePartner } from '../../operations/partners.ts';
import { answerReview, decideReview } from '../../operations/reviews.ts';
import { createServiceAccount } from '../../operations/service-accounts.ts';
import { inviteUser } from '../../operations/users.ts';
import { topUp } from '../../operations/wallets.ts';
import { newId } from '../../platform/ids.ts';
import { asOperator } from '../helpers/operate.ts';
import { aUser } from '../portal/helpers/people.ts';
import { openWorkplace, type Workplace } from './helpers/workplace.ts';

let work: Workplace;
let ada: OperatorActor;
let bob: OperatorActor;
test.before(async () => {
  work = await openWorkplace({ FOUR_EYES: 'on', FOUR_EYES_REVIEW_CENTS: '10000' });
  [ada, bob] = await Promise.all([work.operator(), work.operator()]);
});
test.after.always(() => work?.close());

const conflict = (message?: RegExp) => ({ code: 'CONFLICT', ...(message && { message }) });
const introduced = { code: 'FORBIDDEN', message: /introduced/ };
const address = () => `${randomUUID()}@people.example`;
const wire = () => ({ amountCents: 5_000, currency: 'USD', externalReference: randomUUID() });

async function livePartner() {
  const { partnerId, integrationId } = await work.partner({ mode: 'LIVE', fundingCents: 10_000 });
  return { partnerId, integrationId };
}

/** An owner or another user of a partner, with the second factor just given or not. */
const userOf = (partnerId: string, role: PartnerRole, isFresh = true): UserActor => ({
  kind: 'user',
  id: newId('user'),
  role,
  partnerId,
  requestId: 'req_test',
  factor: isFresh ? new Date() : null,
});

/** Each approves what the other proposed. @returns whether both are refused */
async function areApart(one: OperatorActor, other: OperatorActor): Promise<boolean> {
  const { partnerId } = await livePartner();
  for (const [by, approver] of [
    [one, other],
    [other, one],
  ] as const) {
    const proposal = await work.propose(topUp, by, { partnerId, ...wire() });
    const error = await work.approve(approver, proposal).catch((thrown: unknown) => thrown);
    if ((error as { code?: string }).code !== introduced.code) return false;
  }
  return true;
}

async function newOperator(role: 'admin' | 'viewer' = 'admin') {
  const fields = { name: 'Eve', role, email: address() };
  const proposal = await work.propose(createOperator, ada, fields);
  const { done } = await work.approve(bob, proposal);
  const { _id } = (done?.outcome ?? {}) as { _id: string };
  return asOperator(_id, role);
}

test('whoever proposed or approved that somebody is let in cannot pair with them', async (t) => {
  const eve = await newOperator();
  t.true(await areApart(ada, eve), 'who proposed a new operator');
  t.true(await areApart(bob, eve), 'who approved a new operator');

  const raised = await work.operator('viewer');
  const input = { operatorId: raised.id, role: 'admin' as const };
  await work.approve(bob, await work.propose(changeRole, ada, input));
  const ray = { ...raised, role: 'admin' as const };
  t.true((await areApart(ada, ray)) && (await areApart(bob, ray)), 'a raised role');

  const reset = await work.operator();
  const { _id: userId } = await createOperatorUser(
    work.deps,
    { _id: reset.id, name: 'Rea' },
    { email: address() },
  );
  const secondFactor = {
    sealedSecret: '',
    enrolledAt: new Date(),
    lastStep: 0,
    recoveryCodeHashes: [],
  };
  await work.models.users.updateOne({ _id: userId }, { $set: { secondFactor } });
  await work.approve(bob, await work.propose(resetOperatorFactor, ada, { operatorId: reset.id }));
  t.true((await areApart(ada, reset)) && (await areApart(bob, reset)), 'a second factor reset');

  const cy = await work.operator();
  for (const { id: operatorId } of [eve, ray, reset]) {
    await execute(work.deps, confirmOperator, cy, { operatorId });
    t.false(await areApart(bob, asOperator(operatorId)), 'once a third has confirmed them');
  }
});

test('introductions that are not stored come from the audit log, for 30 days', async (t) => {
  const eve = await newOperator();
  const { models } = work;
  await models.operators.updateOne({ _id: eve.id }, { $set: { introductions: [] } });
  t.true((await areApart(ada, eve)) && (await areApart(bob, eve)));
  const at = new Date(Date.now() - introductionMs - 1_000);
  await models.auditEntries.updateMany({ targetId: eve.id }, { $set: { at } });
  t.false(await areApart(bob, eve));
});

test('an owner that operators let in names both of them', async (t) => {
  const { partnerId } = await livePartner();
  const fields = { partnerId, email: address(), role: 'owner' as const };
  await work.approve(bob, await work.propose(invitePartner, ada, fields));
  const invitation = await work.models.invitations.findOne({ partnerId });
  t.like(invitation, { invitedBy: ada.id, approvedBy: bob.id });
});

test('whoever joins a LIVE partner takes two operators, and its owners are told', async (t) => {
  const { partnerId } = await livePartner();
  const owner = await aUser(work, { partnerId });
  for (const role of ['developer', 'viewer'] as const) {
    const fields = { partnerId, email: address(), role };
    const proposal = await work.propose(invitePartner, ada, fields);
    t.is(await work.models.invitations.countDocuments({ partnerId, email: fields.email }), 0);
    await work.approve(bob, proposal);
    const told = work.mails.findLast(({ to }) => to === owner.email);
    t.regex(told?.text ?? '', new RegExp(`invited somebody to your team as ${role}`));
  }
});

test('an invitation that was decided before the partner went LIVE is not sent afterwards', async (t) => {
  const { partnerId } = await livePartner();
  const found = {
    partner: await work.models.partners.findById(partnerId).orFail(),
    addressHash: '',
  };
  const before = {
    ...found.partner,
    goLive: { ...found.partner.goLive, state: 'SANDBOX' as const },
  };
  const input = { partnerId, email: address(), role: 'developer' as const };
  const by = { actor: ada, approvedBy: null, shown: { mode: 'TEST' }, idOf: newId };
  await t.throwsAsync(
    invitePartner.run(work.deps, input, { ...by, found: { ...found, partner: before } }),
    conflict(/gone LIVE/),
  );
  t.is(await work.models.invitations.countDocuments({ partnerId }), 0);
});

test('LIVE service accounts, LIVE delivery and answers in LIVE are the owners’, with a fresh factor and an end', async (t) => {
  const { partnerId, integrationId } = await livePartner();
  const [owner, developer] = [userOf(partnerId, 'owner'), userOf(partnerId, 'developer')];
  const forbidden = { code: 'FORBIDDEN' };
  const account = {
    partnerId,
    name: 'export',
    reads: ['log:read' as const],
    mode: 'LIVE' as const,
  };
  const make = (by: UserActor, days: number | null) =>
    execute(work.deps, createServiceAccount, by, { ...account, days });
  await t.throwsAsync(make(developer, 30), forbidden);
  await t.throwsAsync(make(owner, null), { code: 'VALIDATION_FAILED', message: /needs an end/ });
  await t.notThrowsAsync(make(owner, 366));
  await t.notThrowsAsync(
    execute(work.deps, createServiceAccount, developer, { ...account, mode: 'TEST', days: null }),
  );

  const delivery = { partnerId, integrationId, delivery: 'PARTNER' as const };
  const deliver = (by: UserActor) => execute(work.deps, updateIntegration, by, delivery);
  await t.throwsAsync(deliver(developer), forbidden);
  await t.throwsAsync(deliver(userOf(partnerId, 'owner', false)), forbidden);
  await work.propose(updateIntegration, ada, delivery);
  await t.notThrowsAsync(deliver(owner));

  const { review } = await work.town.reviewed({ partnerId, mode: 'LIVE' });
  await t.throwsAsync(
    execute(work.deps, answerReview, developer, { reviewId: review._id, text: 'yes' }),
    forbidden,
  );
});

test('an owner’s password alone changes nothing that a LIVE partner’s customers see', async (t) => {
  const { partnerId } = await livePartner();
  const stale = userOf(partnerId, 'owner', false);
  const chosen = {
    language: 'en',
    timeZone: null,
    color: null,
    spendText: null,
    spendUrl: null,
  } as const;
  const factor = { code: 'FORBIDDEN', message: /second factor/ };
  await t.throwsAsync(execute(work.deps, updateBranding, stale, { partnerId, ...chosen }), factor);
  await t.throwsAsync(
    execute(work.deps, updatePartner, stale, { partnerId, contactEmail: address() }),
    factor,
  );
  await t.throwsAsync(
    execute(work.deps, beginContactEmail, stale, { partnerId, address: 'contactEmail' }),
    factor,
  );
  await t.notThrowsAsync(
    execute(work.deps, updateBranding, userOf(partnerId, 'owner'), { partnerId, ...chosen }),
  );
});

test('a LIVE partner’s reviewed profile takes two operators and a fresh factor; so does lifting a suspension', async (t) => {
  const { partnerId } = await livePartner();
  const { models } = work;
  const change = { partnerId, name: 'Another Shop', website: 'https://another.example' };
  const stale = { ...ada, factor: null };
  await t.throwsAsync(execute(work.deps, updatePartner, stale, change), {
    message: /second factor/,
  });
  const proposal = await work.propose(updatePartner, ada, change);
  t.not((await models.partners.findById(partnerId))?.name, change.name);
  await work.approve(bob, proposal);
  t.like(await models.partners.findById(partnerId), { name: change.name, website: change.website });

  const suspend = { partnerId, status: 'SUSPENDED' as const };
  t.like(await execute(work.deps, updatePartner, ada, suspend), { isDone: true });
  const lift = await work.propose(updatePartner, ada, { partnerId, status: 'ACTIVE' });
  t.is((await models.partners.findById(partnerId))?.status, 'SUSPENDED');
  await work.approve(bob, lift);
  t.is((await models.partners.findById(partnerId))?.status, 'ACTIVE');
});

test('a refused approval ends the proposal: nothing carries it out once it would be possible again', async (t) => {
  const { partnerId } = await livePartner();
  const { models } = work;
  const was = await models.partners.findById(partnerId).orFail();
  const proposal = await work.propose(updatePartner, ada, { partnerId, name: 'Another Shop' });
  const set = (name: string) => models.partners.updateOne({ _id: partnerId }, { $set: { name } });
  await set('Meanwhile');
  await t.throwsAsync(work.approve(bob, proposal), conflict(/has changed/));
  await set(was.name);
  await t.throwsAsync(work.approve(bob, proposal), conflict());
  t.is((await models.partners.findById(partnerId))?.name, was.name);

  const rules = { partnerId, mode: 'LIVE', currency: 'USD', kind: 'FIXED', points: 10 } as const;
  const late = await execute(work.deps, createRule, ada, { ...rules, pointValueMicros: 10_000 });
  const activation = await work.propose(activateRule, ada, { ruleId: late._id });
  const limit = (maxRewardCents: number) =>
    models.partners.updateOne({ _id: partnerId }, { $set: { maxRewardCents } });
  await limit(1);
  await t.throwsAsync(work.approve(bob, activation), conflict(), 'refused when carried out');
  await limit(was.maxRewardCents);
  t.is((await models.proposals.findById(activation._id))?.status, 'FAILED');
  await t.throwsAsync(work.approve(bob, activation), conflict());
});

test('the write that takes a partner LIVE compares what was reviewed', async (t) => {
  const { partnerId } = await livePartner();
  const { models } = work;
  await models.partners.updateOne({ _id: partnerId }, { $set: { 'goLive.state': 'IN_REVIEW' } });
  const partner = await models.partners.findById(partnerId).orFail();
  const shown = await approveGoLive.approval.shown(work.deps, { partnerId }, partner, ada);
  const approvedWith = (changed: object) => ({
    actor: ada,
    approvedBy: bob.id,
    shown: { ...shown, ...changed },
    found: partner,
    idOf: newId,
  });
  const run = (changed: object) =>
    approveGoLive
      .run(work.deps, { partnerId }, approvedWith(changed))
      .catch((error: Error) => error);
  for (const changed of [
    { name: 'Reviewed' },
    { fundingCents: 1 },
    { users: [{ userId: 'usr_1' }] },
  ]) {
    t.is(((await run(changed)) as { code?: string }).code, 'CONFLICT');
    t.is((await models.partners.findById(partnerId))?.goLive.state, 'IN_REVIEW');
  }
});

test('the open proposals and invitations of a demoted or removed operator end with the role', async (t) => {
  const { models } = work;
  for (const end of [changeRole, revokeOperator]) {
    const eve = await work.operator();
    const { _id: partnerId } = await models.partners
      .findById((await work.partner()).partnerId)
      .orFail();
    const email = address();
    await execute(work.deps, invitePartner, eve, { partnerId, email, role: 'viewer' });
    const proposal = await work.propose(topUp, eve, { partnerId, ...wire() });
    await execute(work.deps, end as never, ada, {
      operatorId: eve.id,
      ...(end === changeRole && { role: 'support' }),
    });
    t.is((await models.proposals.findById(proposal._id))?.status, 'FAILED');
    t.is(await models.invitations.countDocuments({ partnerId, email }), 0);
    await models.operators.updateOne({ _id: eve.id }, { $set: { role: 'admin', revokedAt: null } });
    await t.throwsAsync(work.approve(bob, proposal), conflict());
  }
});

test('dismissed reviews are worth as much as upheld ones, per operator, partner and customer', async (t) => {
  const { partnerId } = await livePartner();
  const cy = await work.operator('support');
  const dismiss = async () => {
    const { review, reward } = await work.town.reviewed({ partnerId, mode: 'LIVE' });
    const worth = { $set: { liabilityCents: 4_000 } };
    await work.models.rewards.updateOne({ _id: reward._id }, worth);
    await work.models.reviews.updateOne({ _id: review._id }, worth);
    const input = {
      reviewId: review._id,
      decision: 'DISMISS',
      reasonCode: 'GOODWILL',
      reason: 'ok',
    } as const;
    return (await execute(work.deps, decideReview, cy, input)).isDone;
  };
  t.deepEqual([await dismiss(), await dismiss(), await dismiss()], [true, true, false]);
});

test('one address gets a few invitations a day, whoever sends them', async (t) => {
  const email = address();
  const sent: boolean[] = [];
  for (let nth = 0; nth < dailyMailQuotas.INVITATION + 2; nth++) {
    const { partnerId } = await work.partner();
    const by = userOf(partnerId, 'owner');
    const invited = execute(work.deps, inviteUser, by, { partnerId, email, role: 'viewer' });
    sent.push(
      await invited.then(
        () => true,
        (error: { code: string }) => error.code !== 'RATE_LIMITED',
      ),
    );
  }
  t.deepEqual(sent, [...Array(dailyMailQuotas.INVITATION).fill(true), false, false]);
  t.is(work.mails.filter(({ to }) => to === email).length, dailyMailQuotas.INVITATION);
});

test('nobody floods the audit log with their own settings, and another kind of action stays open', async (t) => {
  const { partnerId } = await work.partner();
  const { _id } = await aUser(work, { partnerId, role: 'viewer' });
  const viewer = { ...userOf(partnerId, 'viewer'), id: _id };
  const choose = () => execute(work.deps, chooseTimeZone, viewer, { timeZone: 'UTC' });
  for (let nth = 0; nth < actionsPerHour; nth++) await choose();
  await t.throwsAsync(choose(), { code: 'RATE_LIMITED' });
  t.is(await work.models.auditEntries.countDocuments({ actorId: _id }), actionsPerHour);
  await t.notThrowsAsync(execute(work.deps, endOwnSessions, viewer, { allBut: 'none' }));
});
