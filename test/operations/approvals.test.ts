import { randomUUID } from 'node:crypto';
import test from 'ava';
import { proposalLifeMs } from '../../domain/operators.ts';
import { claimPostings, reservationPostings } from '../../domain/postings.ts';
import type { Commit } from '../../models/commit.ts';
import { approversOf } from '../../models/identity/introductions.ts';
import { customerHoldings, walletBalances } from '../../models/ledger/index.ts';
import { findActiveRules } from '../../models/rewards/rules.ts';
import type { ProposalDoc } from '../../models/schemas/audit.ts';
import type { Actor, OperatorActor, UserActor } from '../../operations/actor.ts';
import { approve } from '../../operations/approve.ts';
import {
  createCredential,
  type RevealedSecret,
  rotateCredential,
  showSecret,
} from '../../operations/credentials.ts';
import { redeem } from '../../operations/customers.ts';
import { activateRule, createRule, deactivateRule } from '../../operations/earning-rules.ts';
import { execute } from '../../operations/execute.ts';
import { changeRole, confirmOperator, createOperator } from '../../operations/operators.ts';
import { createPartner, invitePartner, updatePartner } from '../../operations/partners.ts';
import { rejectProposal } from '../../operations/proposals.ts';
import { decideReview, decideSeveral } from '../../operations/reviews.ts';
import { correctContactOfReward, reinstateReward } from '../../operations/rewards.ts';
import { topUp } from '../../operations/wallets.ts';
import { newId } from '../../platform/ids.ts';
import { openProposal } from '../../views/approvals.ts';
import { operate } from '../helpers/operate.ts';
import { openWorkplace, type Workplace } from './helpers/workplace.ts';

let work: Workplace;
let ada: OperatorActor;
let bob: OperatorActor;
test.before(async () => {
  work = await openWorkplace({
    FOUR_EYES: 'on',
    FOUR_EYES_REDEMPTION_CENTS: '100',
    FOUR_EYES_REVIEW_CENTS: '100',
  });
  [ada, bob] = await Promise.all([work.operator(), work.operator()]);
});
test.after.always(() => work?.close());

const wire = { amountCents: 5_000, currency: 'USD', externalReference: 'wire 1' };
const address = () => `${randomUUID()}@operators.example`;

const fundingOf = async (partnerId: string) =>
  (await walletBalances(work.models, { mode: 'LIVE', partnerId })).fundingCents;

/** Proposes a top-up for a new LIVE partner. */
async function proposedTopUp(by = ada) {
  const { partnerId } = await work.partner({ mode: 'LIVE' });
  const money = { partnerId, ...wire };
  return { partnerId, money, proposal: await work.propose(topUp, by, money) };
}

const conflict = (message?: RegExp) => ({ code: 'CONFLICT', ...(message && { message }) });
const forbidden = (message?: RegExp) => ({ code: 'FORBIDDEN', ...(message && { message }) });

const entriesOf = (partnerId: string, action: string) =>
  work.models.auditEntries.find({ partnerId, action });

test('a proposal changes nothing until another operator approves it; then it is recorded under both names', async (t) => {
  const { partnerId, money, proposal } = await proposedTopUp();
  t.like(proposal, {
    action: 'partner.top-up',
    partnerId,
    targetId: partnerId,
    status: 'PROPOSED',
    proposedBy: ada.id,
    decidedBy: null,
    details: { reference: 'wire 1', amountCents: 5_000 },
  });
  t.is(+proposal.expiresAt - +proposal.proposedAt, proposalLifeMs);
  await t.throwsAsync(work.approve(ada, proposal), forbidden());
  t.is(await fundingOf(partnerId), 0);

  const approved = await work.approve(bob, proposal);
  t.like(approved.proposal, { status: 'APPROVED', decidedBy: bob.id });
  t.truthy(approved.proposal.carriedOutAt);
  t.is(await fundingOf(partnerId), 5_000);
  const [entry] = await entriesOf(partnerId, 'partner.top-up');
  t.like(entry, { actorId: ada.id, approvedBy: bob.id, status: 'DONE' });

  t.is((await work.approve(bob, proposal)).done, null);
  t.like(await execute(work.deps, topUp, ada, money), { isDone: true, outcome: { isNew: false } });
  t.is(await fundingOf(partnerId), 5_000);
});

test('proposing the same again, by anybody, returns the same proposal', async (t) => {
  const { money, proposal } = await proposedTopUp();
  const again = await Promise.all([ada, bob, ada].map((by) => work.propose(topUp, by, money)));
  t.deepEqual(new Set(again.map(({ _id }) => _id)), new Set([proposal._id]));
  const other = await work.propose(topUp, ada, { ...money, amountCents: 5_001 });
  t.not(other._id, proposal._id);
});

test('a top-up keeps its currency between proposal and approval', async (t) => {
  const { deps, models } = work;
  const { _id: partnerId } = await operate(deps, createPartner, { name: 'Shop', currency: 'JPY' });
  const money = { partnerId, amountCents: 1_000_000, externalReference: 'wire 1' };
  await t.throwsAsync(work.propose(topUp, ada, { ...money, currency: 'USD' }), conflict());
  const proposal = await work.propose(topUp, ada, { ...money, currency: 'JPY' });
  t.like(proposal.shown, { amountCents: 1_000_000, currency: 'JPY' });
  await t.throwsAsync(
    execute(deps, updatePartner, ada, { partnerId, currency: 'USD' }),
    conflict(/while a proposal is open/),
  );
  // Bypasses that check.
  await models.partners.updateOne({ _id: partnerId }, { $set: { currency: 'USD' } });
  await t.throwsAsync(work.approve(bob, proposal), conflict());
  t.is(await fundingOf(partnerId), 0);

  await work.approve(bob, await work.propose(topUp, ada, { ...money, currency: 'USD' }));
  await t.throwsAsync(
    operate(deps, topUp, { ...money, currency: 'JPY', externalReference: 'wire 2' }),
    conflict(),
  );
  t.is(await fundingOf(partnerId), 1_000_000);
});

test('of concurrent approvals one counts, and the money moves once', async (t) => {
  const eve = await work.operator();
  const { partnerId, proposal } = await proposedTopUp();
  const all = await Promise.allSettled([bob, eve, bob].map((by) => work.approve(by, proposal)));
  t.true(all.some(({ status }) => status === 'fulfilled'));
  for (const one of all) if (one.status === 'rejected') t.is(one.reason.code, 'CONFLICT');
  t.is(await fundingOf(partnerId), 5_000);
  t.is((await entriesOf(partnerId, 'partner.top-up')).length, 1);
});

test('only operators with the permission can approve a proposal', async (t) => {
  const { partnerId, proposal } = await proposedTopUp();
  for (const role of ['viewer', 'support'] as const) {
    await t.throwsAsync(work.approve(await work.operator(role), proposal), forbidden());
  }
  const fay = await work.operator('finance');
  await t.throwsAsync(work.approve({ ...fay, factor: null }, proposal), forbidden(/second factor/));
  t.is(await fundingOf(partnerId), 0);
  await t.notThrowsAsync(work.approve(fay, proposal));
});

test('a proposal ends when what was shown changes', async (t) => {
  const { admin: lin } = await aNewcomer('viewer');
  const proposal = await work.propose(changeRole, ada, { operatorId: lin, role: 'admin' });
  await work.models.operators.updateOne({ _id: lin }, { $set: { role: 'support' } });
  await t.throwsAsync(work.approve(bob, proposal), conflict(/has changed/));
  t.is((await work.models.operators.findById(lin))?.role, 'support');
  t.is((await work.models.proposals.findById(proposal._id))?.status, 'FAILED');
  await t.throwsAsync(work.approve(bob, proposal), conflict(), 'the proposal stays failed');
});

async function aNewcomer(role: 'viewer' | 'admin', introducedBy: string | null = null) {
  const { id } = await work.operator(role);
  if (introducedBy !== null) {
    const introductions = [{ by: introducedBy, at: new Date(), confirmedBy: null }];
    await work.models.operators.updateOne({ _id: id }, { $set: { introductions } });
  }
  return { admin: id };
}

test('a rejected or withdrawn proposal can no longer be approved, but can be made again', async (t) => {
  const { partnerId, money } = await proposedTopUp();
  const reason = 'no such transfer';
  for (const by of [bob, ada]) {
    const { _id: proposalId } = await work.propose(topUp, ada, money);
    const rejected = await execute(work.deps, rejectProposal, by, { proposalId, reason });
    t.like(rejected, { status: 'REJECTED', reason, decidedBy: by.id });
    await t.throwsAsync(work.approve(bob, rejected), conflict());
  }
  t.is(await fundingOf(partnerId), 0);
  await t.notThrowsAsync(work.approve(bob, await work.propose(topUp, ada, money)));
});

test.serial('a proposal without approval expires after a day, and can be made again', async (t) => {
  const { partnerId, money, proposal } = await proposedTopUp();
  work.setClockOffsetMs(proposalLifeMs + 60_000);
  t.teardown(() => work.setClockOffsetMs(0));
  await t.throwsAsync(work.approve(bob, proposal), conflict(/expired/));
  const anew = await work.propose(topUp, ada, money);
  t.not(anew._id, proposal._id);
  t.is((await work.models.proposals.findById(proposal._id))?.status, 'EXPIRED');
  t.is(await fundingOf(partnerId), 0);
});

test('a proposal by an operator who was revoked or lost the role cannot be approved', async (t) => {
  for (const change of [{ revokedAt: new Date() }, { role: 'support' as const }]) {
    const eve = await work.operator();
    const { partnerId, proposal } = await proposedTopUp(eve);
    await work.models.operators.updateOne({ _id: eve.id }, { $set: change });
    await t.throwsAsync(work.approve(bob, proposal), conflict(/no longer allowed/));
    t.is(await fundingOf(partnerId), 0);
  }
});

test('an approval interrupted by a crash is completed when repeated, once', async (t) => {
  const { partnerId, proposal } = await proposedTopUp();
  let isDead = false;
  const die = () => {
    isDead = true;
    throw new Error('the process dies here');
  };
  const commit: Commit = async (fact) => {
    await work.commit(fact);
    return die();
  };
  const models = new Proxy(work.deps.models, {
    get: (target, name) => (isDead ? die() : Reflect.get(target, name)),
  });
  const dying = { ...work.deps, models, commit };
  await t.throwsAsync(approve(dying, bob, proposal._id), { message: 'the process dies here' });
  t.like(await work.models.proposals.findById(proposal._id), {
    status: 'APPROVED',
    carriedOutAt: null,
  });
  const [intended] = await entriesOf(partnerId, 'partner.top-up');
  t.like(intended, { status: 'INTENDED', actorId: ada.id, approvedBy: bob.id });

  await work.approve(bob, proposal);
  t.is(await fundingOf(partnerId), 5_000);
  const entries = await entriesOf(partnerId, 'partner.top-up');
  t.deepEqual(
    entries.map(({ status }) => status),
    ['DONE'],
  );
});

test('operators invite an owner only with an approval, even the first, and one at a time', async (t) => {
  const { deps, models } = work;
  const { _id: partnerId } = await operate(deps, createPartner, { name: 'Nobody’s yet' });
  const invited = (email: string) => ({ partnerId, email, role: 'owner' as const });
  const reader = { ...invited('reader@shop.example'), role: 'viewer' as const };
  t.like(await execute(deps, invitePartner, ada, reader), { isDone: true });
  const proposals = await Promise.all(
    Array.from({ length: 4 }, (_, at) =>
      work.propose(invitePartner, ada, invited(`first-${at}@shop.example`)),
    ),
  );
  const ids = proposals.map(({ _id }) => _id);
  t.is(new Set(ids).size, 4, 'each address has its own proposal');
  const again = await work.propose(invitePartner, ada, invited('First-0@shop.example'));
  t.is(again._id, ids[0] ?? '');
  t.false(JSON.stringify(proposals).includes('shop.example'));
  const owners = () => models.invitations.find({ partnerId, role: 'owner' });
  t.deepEqual(await owners(), []);

  const approved = await Promise.allSettled(proposals.map((one) => work.approve(bob, one)));
  t.true(approved.some(({ status }) => status === 'fulfilled'));
  const [sent, ...others] = await owners();
  t.deepEqual(others, []);
  t.like(sent, { invitedBy: ada.id });
});

test('a LIVE secret that two operators made is shown once, to an owner of the partner and to nobody else', async (t) => {
  const { deps, models } = work;
  const { partnerId, integrationId } = await work.partner({ mode: 'LIVE' });
  const fields = { partnerId, integrationId, scopes: ['events:write' as const] };
  const inTest = await execute(deps, createCredential, ada, { ...fields, mode: 'TEST' });
  t.true(inTest.isDone && inTest.outcome.secret !== null);
  const proposal = await work.propose(createCredential, ada, { ...fields, mode: 'LIVE' });
  const live = { partnerId, mode: 'LIVE' as const };
  t.is(await models.credentials.countDocuments(live), 1);
  const { credential, secretId, secret } = await outcomeOf(proposal);
  t.is(secret, null);
  t.is(await models.credentials.countDocuments(live), 2);
  const { _id: credentialId } = credential;
  const rotation = await work.propose(rotateCredential, ada, { credentialId });
  const rotated = await outcomeOf(rotation);
  t.is(rotated.secret, null);

  const common = { kind: 'user', id: newId('user'), partnerId, requestId: 'req_1' } as const;
  const owner = { ...common, role: 'owner', factor: new Date() } as const;
  const show = (by: Actor, which: string) =>
    execute(deps, showSecret, by as UserActor, { credentialId, secretId: which });
  await t.throwsAsync(show(ada, secretId), forbidden());
  await t.throwsAsync(show({ ...owner, role: 'developer' }, secretId), forbidden());
  await t.throwsAsync(show({ ...owner, factor: null }, secretId), forbidden());
  await t.throwsAsync(show({ ...owner, partnerId: 'prt_other' }, secretId), { code: 'NOT_FOUND' });
  for (const which of [secretId, rotated.secretId]) {
    t.regex((await show(owner, which)).secret ?? '', /^sk_live_/);
    await t.throwsAsync(show(owner, which), conflict(/shown already/));
  }

  // If the response to an approval is lost, repeating it makes no other secret than the one that waits.
  const scopes: ['events:read'] = ['events:read'];
  const lost = await work.propose(createCredential, ada, { ...fields, mode: 'LIVE', scopes });
  const first = await outcomeOf(lost);
  await models.proposals.updateOne({ _id: lost._id }, { $set: { carriedOutAt: null } });
  const again = await outcomeOf(lost);
  t.is(again.credential._id, first.credential._id);
  t.deepEqual(
    again.credential.secrets.map(({ sealed }) => sealed),
    [first.credential.secrets[0]?.sealed ?? ''],
  );
});

/** Approves a proposal for a credential or a secret. */
async function outcomeOf(proposal: ProposalDoc): Promise<RevealedSecret> {
  const { done } = await work.approve(bob, proposal);
  return done?.outcome as RevealedSecret;
}

/** A LIVE partner's customer with 499 points worth 4.99. */
async function aCustomer() {
  const { partnerId } = await work.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const { customerId } = await work.town.claimed({ partnerId, mode: 'LIVE' });
  return { partnerId, customerId };
}

test('a redemption above the threshold needs approval, and those done alone are summed', async (t) => {
  const customer = await aCustomer();
  const { customerId } = customer;
  const spend = (points: number, reference: string) => ({ customerId, points, reference });
  const pointsLeft = async () => (await customerHoldings(work.models, customer)).points;
  const large = await work.propose(redeem, ada, spend(101, 'large'));
  t.like(large.shown, { points: 101, cents: 101, currency: 'USD' });
  for (const _ of ['done', 'counted once']) {
    t.like(await execute(work.deps, redeem, ada, spend(60, 'small')), { isDone: true });
  }
  await work.approve(bob, large);
  t.is(await pointsLeft(), 338);

  // The sums are per customer and per partner, across operators, and include concurrent redemptions.
  for (const by of [ada, await work.operator('finance')]) {
    await work.propose(redeem, by, spend(41, 'more'));
  }
  const all = await Promise.allSettled(
    Array.from({ length: 4 }, (_, at) => execute(work.deps, redeem, ada, spend(25, `small ${at}`))),
  );
  t.is(all.filter((one) => one.status === 'fulfilled' && one.value.isDone).length, 1);
  t.is(await pointsLeft(), 313);
});

/** Gives a customer more points of any value. */
async function give(
  { partnerId, customerId }: { partnerId: string; customerId: string },
  worth: { points: number; liabilityCents: number },
): Promise<void> {
  const obligation = { customerId, ...worth };
  const kinds = {
    RESERVE: reservationPostings('funding', obligation),
    CLAIM: claimPostings(obligation),
  };
  for (const [kind, postings] of Object.entries(kinds)) {
    await work.commit({
      partnerId,
      wallet: { mode: 'LIVE', partnerId },
      customerIds: [customerId],
      decide: (draft) => draft.post(kind, `${kind.toLowerCase()}:${randomUUID()}`, null, postings),
    });
  }
}

test('a redemption is worth no more than approved, and no more than the customer holds', async (t) => {
  const customer = await aCustomer();
  const { customerId } = customer;
  const spend = { customerId, points: 499, reference: 'all' };
  const proposal = await work.propose(redeem, ada, spend);
  t.is(proposal.shown.cents, 499);
  // With more valuable points in the mix, the same number of points is worth more.
  await give(customer, { points: 10, liabilityCents: 1_000 });
  await t.throwsAsync(work.approve(bob, proposal), conflict(/has changed/));
  const by = { actor: ada, approvedBy: bob.id, shown: { cents: 499 }, idOf: newId };
  await t.throwsAsync(
    redeem.run(work.deps, spend, { ...by, found: customer }),
    conflict(/worth more/),
  );
  t.is((await customerHoldings(work.models, customer)).points, 509);

  const tooMany = { ...spend, points: 510, reference: 'too many' };
  await t.throwsAsync(work.propose(redeem, ada, tooMany), conflict(/can spend 509 points/));
  const approved = { ...by, shown: { cents: 10_000 }, found: customer };
  await t.throwsAsync(redeem.run(work.deps, tooMany, approved), conflict(/can spend 509 points/));
});

test('a LIVE rule change needs approval, and no point is worth more than the contract allows', async (t) => {
  const { deps, models } = work;
  const { partnerId } = await work.partner({ mode: 'LIVE', rule: null });
  const fields = { partnerId, mode: 'LIVE', currency: 'USD', kind: 'FIXED', points: 100 } as const;
  for (const dear of [
    { pointValueMicros: 1_000_000_000 },
    { pointValueMicros: 1_000_000, points: 1_001, capPerOrderPoints: 1_001 },
  ]) {
    await t.throwsAsync(execute(deps, createRule, ada, { ...fields, ...dear }), {
      code: 'VALIDATION_FAILED',
      message: /the contract/,
    });
  }
  const uncapped = {
    kind: 'PER_AMOUNT',
    points: 1,
    unitCents: 1,
    pointValueMicros: 10_000,
  } as const;
  const rule = await execute(deps, createRule, ada, { ...fields, ...uncapped });
  const { _id: ruleId } = rule;
  t.is(rule.capPerOrderPoints, 100_000, 'without a cap of its own, a rule has the contract’s');

  const active = async () => (await findActiveRules(models, partnerId, 'LIVE'))[0]?.ruleId;
  const activation = await work.propose(activateRule, ada, { ruleId });
  t.like(activation.shown, { largestRewardCents: 100_000, currency: 'USD', activeRuleId: null });
  t.is(await active(), undefined);
  await work.approve(bob, activation);
  t.is(await active(), ruleId);
  await work.propose(deactivateRule, ada, { ruleId });
  t.is(await active(), ruleId);

  const raise = await work.propose(updatePartner, ada, {
    partnerId,
    maxPointMicros: 1_000_000_000,
  });
  t.like(raise.shown, { before: { maxPointMicros: 1_000_000 } });
  t.is((await models.partners.findById(partnerId))?.maxPointMicros, 1_000_000);
  t.like(await execute(deps, updatePartner, ada, { partnerId, taxId: 'GB 1' }), { isDone: true });

  // A rule that was drafted under another contract is checked against the current one.
  const late = await execute(deps, createRule, ada, { ...fields, points: 50 });
  await work.approve(bob, await work.propose(updatePartner, ada, { partnerId, maxRewardCents: 1 }));
  const beyond = await work.propose(activateRule, ada, { ruleId: late._id });
  await t.throwsAsync(work.approve(bob, beyond), {
    code: 'CONFLICT',
    message: /: capPerOrderPoints must be at most 1: /,
  });
  t.is(await active(), ruleId);
});

test('a decision about a reward above the threshold needs approval, and its reason stays encrypted', async (t) => {
  const { partnerId } = await work.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const { review, reward } = await work.town.reviewed({ partnerId, mode: 'LIVE' });
  const verdict = {
    reviewId: review._id,
    decision: 'UPHOLD' as const,
    reasonCode: 'GOODS_RETURNED' as const,
    reason: 'Jane sent it back',
  };
  const proposal = await work.propose(decideReview, ada, verdict);
  t.like(proposal.shown, { liabilityCents: 499, cents: 499 });
  t.false(JSON.stringify(await work.models.proposals.find()).includes('Jane'));
  t.like(await openProposal(work.deps, proposal), { reason: 'Jane sent it back' });
  t.is((await work.models.rewards.findById(review.rewardId))?.state, 'IN_REVIEW');
  await work.approve(bob, proposal);
  const decided = await work.models.reviews.findById(review._id);
  t.like(decided, { status: 'DECIDED', decision: { operatorId: ada.id } });
  t.is((await work.models.rewards.findById(review.rewardId))?.state, 'CANCELLED');

  // One operator can decide about points that cost nothing: they take no money owed for others.
  const free = await work.town.reviewed({ partnerId, mode: 'LIVE' });
  await work.models.rewards.updateOne(
    { _id: free.reward._id },
    { $set: { liabilityCents: 0, customerId: reward.customerId } },
  );
  await work.models.reviews.updateOne({ _id: free.review._id }, { $set: { liabilityCents: 0 } });
  const executed = await execute(work.deps, decideReview, ada, {
    ...verdict,
    reviewId: free.review._id,
  });
  t.true(executed.isDone);
});

test('an operator’s small decisions are summed over a day, and concurrent ones stay within the limit', async (t) => {
  const { partnerId } = await work.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const small = async (liabilityCents: number) => {
    const { review, reward } = await work.town.reviewed({ partnerId, mode: 'LIVE' });
    await work.models.rewards.updateOne({ _id: reward._id }, { $set: { liabilityCents } });
    await work.models.reviews.updateOne({ _id: review._id }, { $set: { liabilityCents } });
    return review._id;
  };
  const [first, second, third] = [await small(60), await small(50), await small(40)];
  const cy = await work.operator('support');
  const decide = (reviewId: string, decision: 'UPHOLD' | 'DISMISS' = 'UPHOLD') =>
    execute(work.deps, decideReview, cy, {
      reviewId,
      decision,
      reason: 'the parcel came back',
      reasonCode: decision === 'UPHOLD' ? 'GOODS_RETURNED' : 'GOODWILL',
    });
  t.true((await decide(first)).isDone);
  t.true((await decide(first)).isDone, 'a repeat is not counted again');
  t.is(
    await decideSeveral(work.deps, cy, [second, third], {
      decision: 'UPHOLD',
      reasonCode: 'GOODS_RETURNED',
      reason: 'the parcel came back',
    }),
    1,
  );
  const left = await work.models.reviews.findById(second);
  t.is(left?.status, 'OPEN');
  t.false((await decide(second)).isDone, 'above the daily limit it is only proposed');
  t.false((await decide(await small(1), 'DISMISS')).isDone, 'a dismissal is worth as much');
});

test('nobody can create an approver alone, and the approver sees no token', async (t) => {
  const { deps, models } = work;
  const puppet = { name: 'Puppet', role: 'finance' as const, email: address() };
  const proposal = await work.propose(createOperator, ada, puppet);
  t.like(proposal.shown, puppet, 'the approver sees the address');
  const other = await work.propose(createOperator, ada, { ...puppet, email: address() });
  t.not(other._id, proposal._id, 'another address is another proposal');
  await work.approve(bob, proposal);
  const user = await models.users.findOne({ email: puppet.email }).orFail();
  const operatorId = user.operatorId ?? '';
  const roleOf = async () => (await models.operators.findById(operatorId))?.role;
  t.deepEqual((await models.operators.findById(operatorId))?.tokens, []);

  const raise = await work.propose(changeRole, ada, { operatorId, role: 'admin' });
  t.is(await roleOf(), 'finance');
  await work.approve(bob, raise);
  t.is(await roleOf(), 'admin');
  t.true((await execute(deps, changeRole, ada, { operatorId, role: 'viewer' })).isDone);
  t.is(await roleOf(), 'viewer');
});

test('an operator and whoever introduced them cannot approve each other’s proposals, unless a third confirms them', async (t) => {
  const { deps, models } = work;
  const introduced = async (introducedBy: string) => {
    const { admin } = await aNewcomer('admin', introducedBy);
    return { ...ada, id: admin };
  };
  const eve = await introduced(ada.id);
  const mal = await introduced(ada.id);
  const zoe = await introduced(eve.id);
  const { partnerId } = await work.partner({ mode: 'LIVE' });
  const proposed = (by: OperatorActor, externalReference: string) =>
    work.propose(topUp, by, { partnerId, ...wire, externalReference });
  const pairs = [
    [ada, eve],
    [eve, ada],
    [ada, zoe],
    [mal, eve],
    [mal, zoe],
  ] as const;
  for (const [at, [proposer, approver]] of pairs.entries()) {
    const proposal = await proposed(proposer, `wire ${at}`);
    await t.throwsAsync(work.approve(approver, proposal), forbidden(/introduced/), `${at}`);
  }
  t.is(await fundingOf(partnerId), 0);
  for (const puppet of [ada, mal, eve]) {
    await t.throwsAsync(
      execute(deps, confirmOperator, puppet, { operatorId: eve.id }),
      forbidden(),
    );
  }
  const late = { 'introductions.0.at': new Date(Date.now() - 31 * 24 * 3_600_000) };
  await models.operators.updateOne({ _id: mal.id }, { $set: late });
  const old = await proposed(mal, 'wire 3');
  await t.notThrowsAsync(work.approve(eve, old), '30 days after the introduction');
  await execute(deps, confirmOperator, bob, { operatorId: eve.id });
  const known = await proposed(ada, 'wire 0');
  await t.notThrowsAsync(work.approve(eve, known), 'once a third operator has confirmed them');
});

test('an introducer remains one, even after somebody else raises the operator’s role', async (t) => {
  const { deps } = work;
  const { admin: operatorId } = await aNewcomer('viewer', ada.id);
  const eve = { ...ada, id: operatorId };
  await work.approve(ada, await work.propose(changeRole, bob, { operatorId, role: 'admin' }));
  const { partnerId } = await work.partner({ mode: 'LIVE' });
  const proposal = await work.propose(topUp, ada, { partnerId, ...wire });
  await t.throwsAsync(work.approve(eve, proposal), forbidden(/introduced/));
  await t.throwsAsync(execute(deps, confirmOperator, bob, { operatorId }), forbidden());
  const cy = await work.operator('admin');
  const { introductions } = await execute(deps, confirmOperator, cy, { operatorId });
  t.deepEqual(
    introductions.map(({ by, confirmedBy }) => ({ by, confirmedBy })),
    [
      { by: ada.id, confirmedBy: cy.id },
      { by: bob.id, confirmedBy: cy.id },
      { by: ada.id, confirmedBy: cy.id },
    ],
  );
  await t.notThrowsAsync(work.approve(eve, proposal), 'once a third operator has confirmed them');
});

test('nobody is asked to approve what cannot be done with a reward, or for a suspended partner', async (t) => {
  const { models } = work;
  const { partnerId } = await work.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const { reward } = await work.town.reviewed({ partnerId, mode: 'LIVE' });
  const { _id: rewardId, customerId } = reward;
  const set = (change: object) => models.rewards.updateOne({ _id: rewardId }, { $set: change });
  const reinstatement = { rewardId, reference: 'ticket 7' };
  const correction = { rewardId, email: 'right@customers.example' };
  const redemption = { customerId, points: 499, reference: 'receipt 1' };

  await t.throwsAsync(work.propose(reinstateReward, ada, reinstatement), conflict(/ADMIN_REVIEW/));
  await t.throwsAsync(
    work.propose(correctContactOfReward, ada, correction),
    conflict(/corrected once, before it is claimed/),
  );
  const refunded = { move: 'REFUND', at: new Date(), state: 'CANCELLED' };
  const over = new Date(work.deps.now() - 1);
  await set({ state: 'CANCELLED', moves: [refunded], claimExpiresAt: over });
  await t.throwsAsync(
    work.propose(reinstateReward, ada, reinstatement),
    conflict(/within its claim window/),
  );
  await set({ state: 'FUNDED', moves: [] });
  await t.throwsAsync(
    work.propose(correctContactOfReward, ada, correction),
    conflict(/within its claim window/),
  );
  const claimExpiresAt = new Date(work.deps.now() + 3_600_000);
  await set({ claimExpiresAt });

  await models.partners.updateOne({ _id: partnerId }, { $set: { status: 'SUSPENDED' } });
  const suspended = { code: 'PARTNER_SUSPENDED' };
  await t.throwsAsync(work.propose(correctContactOfReward, ada, correction), suspended);
  await t.throwsAsync(work.propose(redeem, ada, redemption), suspended);
  await set({ state: 'CANCELLED', moves: [refunded] });
  await t.throwsAsync(work.propose(reinstateReward, ada, reinstatement), suspended);
  t.is(await models.proposals.countDocuments({ partnerId }), 0);

  await models.partners.updateOne({ _id: partnerId }, { $set: { status: 'ACTIVE' } });
  t.is((await work.propose(reinstateReward, ada, reinstatement)).status, 'PROPOSED');
});

test('a proposal says whether anybody can approve it', async (t) => {
  const alone = await openWorkplace();
  t.teardown(alone.close);
  const { models, deps } = alone;
  const [admin] = [await alone.operator(), await alone.operator('support')];
  const approvers = (action: 'partner.top-up' | 'reward.reinstate') =>
    approversOf(models, { action, proposedBy: admin.id }, deps.now());
  t.is(await approvers('partner.top-up'), 'NOBODY', 'support cannot top up');
  t.is(await approvers('reward.reinstate'), 'SOMEBODY');
  const bea = await alone.operator('finance');
  t.is(await approvers('partner.top-up'), 'SOMEBODY');
  const introductions = [{ by: admin.id, at: new Date(deps.now()), confirmedBy: null }];
  await models.operators.updateOne({ _id: bea.id }, { $set: { introductions } });
  t.is(await approvers('partner.top-up'), 'DEPENDENT', 'the admin let her in');
  await models.operators.updateOne({ _id: bea.id }, { $set: { revokedAt: new Date() } });
  t.is(await approvers('partner.top-up'), 'NOBODY');
});
