import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import test from 'ava';
import { profileOf } from '../../../dev/go-live.ts';
import { createCheckpoints, runAudit } from '../../../models/audit/index.ts';
import { system } from '../../../operations/actor.ts';
import { redeem } from '../../../operations/customers/redeem.ts';
import { topUp } from '../../../operations/wallets/top-up.ts';
import { newId } from '../../../platform/ids.ts';
import { startAnotherAdminApi } from '../../helpers/another-api.ts';
import { claimTokenOf } from '../../helpers/claim-token.ts';
import { eventually } from '../../helpers/eventually.ts';
import { operate } from '../../helpers/operate.ts';
import { type OwnService, startOwnService } from '../../helpers/own-service.ts';
import { aPurchase, PartnerBackend } from '../../helpers/partner-backend.ts';
import { activateRule } from '../../helpers/service.ts';
import { anotherOperator, auditOf, Operator } from './helpers/operator.ts';

let service: OwnService;
let ada: Operator;
let bob: Operator;
let adaId: string;
let bobId: string;
test.before(async () => {
  service = await startOwnService({
    FOUR_EYES: 'on',
    FOUR_EYES_REDEMPTION_CENTS: '100',
    FOUR_EYES_REVIEW_CENTS: '100',
  });
  ada = new Operator(service, service.adminToken);
  bob = await anotherOperator(service, 'Bob');
  [adaId, bobId] = await Promise.all(
    [ada, bob].map(async (one) => (await one.get('/operators/me')).body.operatorId),
  );
});
test.after.always(() => service?.stop());

const wire = { amountCents: 5_000, currency: 'USD', externalReference: 'wire 1' };

async function fundingOf(partnerId: string): Promise<number> {
  return (await ada.get(`/partners/${partnerId}/wallet`)).body.fundingCents;
}

async function propose(method: string, path: string, body?: unknown, by = ada) {
  const reply = await by.send(method, path, body);
  if (reply.status !== 202) throw new Error(`${path} was answered ${reply.status}: ${reply.text}`);
  return reply.body.proposal;
}

const approve = (by: Operator, { proposalId }: { proposalId: string }) =>
  by.post(`/proposals/${proposalId}/approval`);

/** A LIVE reward that its customer has claimed: 499 points worth 4.99. */
async function claimed(partner: PartnerBackend, held = 0) {
  const { body } = await partner.purchase(aPurchase());
  const token = await claimTokenOf(service, body.eventId);
  await eventually(async () => {
    const reward = await service.models.rewards.findById(body.reward.id).lean();
    return reward?.funded;
  }, 'it is funded');
  await service.claim(token);
  const reward = (await ada.get(`/rewards/${body.reward.id}`)).body;
  await eventually(
    async () =>
      (await ada.get(`/customers/${reward.customerId}`)).body.points === held + reward.points,
    'the customer has the points',
  );
  return reward;
}

test('a top-up moves nothing until another operator approves it; then it stands under both names', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const path = `/partners/${partnerId}/top-ups`;
  const asked = await ada.post(path, wire);
  t.is(asked.status, 202);
  const { proposal } = asked.body;
  t.like(proposal, {
    action: 'partner.top-up',
    partnerId,
    targetId: partnerId,
    status: 'PROPOSED',
    proposedBy: adaId,
    decidedBy: null,
    details: { reference: 'wire 1', amountCents: 5_000 },
  });
  t.is(Date.parse(proposal.expiresAt) - Date.parse(proposal.proposedAt), 24 * 3_600_000);
  t.is(await fundingOf(partnerId), 0);

  const own = await approve(ada, proposal);
  t.deepEqual([own.status, own.body.error.code], [403, 'FORBIDDEN']);
  t.is(await fundingOf(partnerId), 0);

  const approved = await approve(bob, proposal);
  t.is(approved.status, 200);
  t.like(approved.body.proposal, { status: 'APPROVED', decidedBy: bobId });
  t.truthy(approved.body.proposal.carriedOutAt);
  t.is(approved.body.result.wallet.fundingCents, 5_000);
  const [entry] = await auditOf(service, approved);
  t.like(entry, { action: 'partner.top-up', actorId: adaId, approvedBy: bobId, status: 'DONE' });

  const { models, ledger, usage, config } = service;
  const checkpoints = createCheckpoints(config.customerHashKey, null);
  const run = await runAudit({ models, ledger, usage, checkpoints }, { partnerId });
  t.is(run.alone, null, 'it took two, and nothing was done alone');
  t.like(
    run.checks.find(({ name }) => name.startsWith('operators: what was approved')),
    { lookedAt: 1, faults: 0 },
  );

  t.like((await approve(bob, proposal)).body, { result: null });
  const repeated = await ada.post(path, wire);
  t.is(repeated.status, 200);
  t.is(await fundingOf(partnerId), 5_000);
});

test('who proposes the same twice, or after another, gets the same proposal', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const path = `/partners/${partnerId}/top-ups`;
  const proposals = await Promise.all(
    [ada, ada, bob, ada].map((by) => propose('POST', path, wire, by)),
  );
  t.is(new Set(proposals.map(({ proposalId }) => proposalId)).size, 1);
  const other = await propose('POST', path, { ...wire, amountCents: 5_001 });
  t.not(other.proposalId, proposals[0].proposalId);
});

test('a top-up is in one currency, which nobody changes between its proposal and its approval', async (t) => {
  const made = await ada.post('/partners', { name: 'Tokyo Shop', currency: 'JPY' });
  const { partnerId } = made.body;
  const path = `/partners/${partnerId}/top-ups`;
  const money = { amountCents: 1_000_000, externalReference: 'wire 1' };
  t.is((await ada.post(path, money)).status, 400, 'an amount without a currency is no amount');
  const other = await ada.post(path, { ...money, currency: 'USD' });
  t.deepEqual([other.status, other.body.error.code], [409, 'CONFLICT']);

  const proposal = await propose('POST', path, { ...money, currency: 'JPY' });
  t.like(proposal.facts, { amountCents: 1_000_000, currency: 'JPY' });
  const changed = await ada.patch(`/partners/${partnerId}`, { currency: 'USD' });
  t.is(changed.status, 409);
  t.regex(changed.body.error.message, /decide about a proposal/);
  // Somebody gets around it all the same.
  await service.models.partners.updateOne({ _id: partnerId }, { $set: { currency: 'USD' } });
  t.is((await approve(bob, proposal)).status, 409);
  t.is(await fundingOf(partnerId), 0);

  const anew = await propose('POST', path, { ...money, currency: 'USD' });
  t.is((await approve(bob, anew)).status, 200);
  const { models, ledger, now } = { ...service, now: Date.now };
  const race = { models, ledger, now, messenger: { wakeWallet: async () => undefined } };
  const wired = { partnerId, amountCents: 1, externalReference: 'wire 2' };
  await t.throwsAsync(operate(race, topUp, { ...wired, currency: 'JPY' }), { code: 'CONFLICT' });
  t.is(await fundingOf(partnerId), 1_000_000);
});

test('of several approvals at once one counts, and the money moves once', async (t) => {
  const eve = await anotherOperator(service, 'Eve');
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const proposal = await propose('POST', `/partners/${partnerId}/top-ups`, wire);
  const replies = await Promise.all([bob, eve, bob, eve].map((by) => approve(by, proposal)));
  t.true(replies.some(({ status }) => status === 200));
  for (const { status } of replies) t.true([200, 409].includes(status));
  t.is(await fundingOf(partnerId), 5_000);
  t.is(
    await service.models.auditEntries.countDocuments({ partnerId, action: 'partner.top-up' }),
    1,
  );
});

test('every owner whom operators invite takes two, the first one too, and there is one at a time', async (t) => {
  const made = await ada.post('/partners', profileOf('Nobody’s yet'));
  const { partnerId } = made.body;
  const path = `/partners/${partnerId}/invitations`;
  t.is((await ada.post(path, { email: 'reader@shop.example', role: 'viewer' })).status, 201);
  const addresses = Array.from({ length: 8 }, (_, at) => `first-${at}@shop.example`);
  const proposals = await Promise.all(addresses.map((email) => propose('POST', path, { email })));
  const ids = proposals.map(({ proposalId }) => proposalId);
  t.is(new Set(ids).size, 8, 'what is approved is one address');
  const again = await propose('POST', path, { email: 'First-0@shop.example' });
  t.is(again.proposalId, ids[0]);
  t.false(JSON.stringify(proposals[0].details).includes('shop.example'));
  t.is((await approve(ada, proposals[0])).status, 403);
  const owners = () => service.models.invitations.find({ partnerId, role: 'owner' }).lean();
  t.is((await owners()).length, 0);

  const approved = await Promise.all(proposals.map((one) => approve(bob, one)));
  t.true(approved.some(({ status }) => status === 200));
  for (const { status } of approved) t.true([200, 409].includes(status));
  const [sent, ...others] = await owners();
  t.deepEqual(others, []);
  t.like(sent, { invitedBy: adaId });
});

test('a proposal is approved by who may do it, and by nobody else', async (t) => {
  const sam = await anotherOperator(service, 'Sam', 'support');
  const fay = await anotherOperator(service, 'Fay', 'finance');
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const proposal = await propose('POST', `/partners/${partnerId}/top-ups`, wire);
  t.is((await approve(sam, proposal)).status, 403);
  t.is(await fundingOf(partnerId), 0);
  t.is((await approve(fay, proposal)).status, 200);
});

test('what has changed since it was proposed ends the proposal', async (t) => {
  const lin = { name: 'Lin', role: 'viewer', email: `${randomUUID()}@operators.example` };
  const { operatorId } = (await ada.post('/operators', lin)).body;
  const proposal = await propose('PATCH', `/operators/${operatorId}`, { role: 'admin' });
  await service.models.operators.updateOne({ _id: operatorId }, { $set: { role: 'support' } });
  const refused = await approve(bob, proposal);
  t.deepEqual([refused.status, refused.body.error.code], [409, 'CONFLICT']);
  t.regex(refused.body.error.message, /has changed since/);
  t.is((await ada.get(`/operators/${operatorId}`)).body.role, 'support');
  const { status } = (await bob.get(`/proposals/${proposal.proposalId}`)).body;
  t.is(status, 'EXPIRED');
  t.is((await approve(bob, proposal)).status, 409, 'for good');
});

test('what was rejected, or taken back, is not approved any more, and may be proposed anew', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const path = `/partners/${partnerId}/top-ups`;
  for (const by of [bob, ada]) {
    const proposal = await propose('POST', path, wire);
    const rejected = await by.post(`/proposals/${proposal.proposalId}/rejection`, {
      reason: 'no such transfer',
    });
    t.like(rejected.body, { status: 'REJECTED', reason: 'no such transfer' });
    t.is((await approve(bob, proposal)).status, 409);
  }
  t.is(await fundingOf(partnerId), 0);
  const anew = await propose('POST', path, wire);
  t.is((await approve(bob, anew)).status, 200);
});

test.serial(
  'what nobody approved within a day has expired, and may be proposed anew',
  async (t) => {
    const { partnerId } = await service.partner({ mode: 'LIVE' });
    const path = `/partners/${partnerId}/top-ups`;
    const proposal = await propose('POST', path, wire);
    service.setClockOffsetMs(24 * 3_600_000 + 60_000);
    const late = await approve(bob, proposal);
    const { items } = (await ada.get(`/proposals?status=EXPIRED&partner=${partnerId}`)).body;
    const anew = await propose('POST', path, wire);
    service.setClockOffsetMs(0);
    t.is(late.status, 409);
    t.regex(late.body.error.message, /expired/);
    t.deepEqual(
      items.map(({ proposalId, status }: typeof proposal) => [proposalId, status]),
      [[proposal.proposalId, 'EXPIRED']],
    );
    t.not(anew.proposalId, proposal.proposalId);
    t.is(await fundingOf(partnerId), 0);
  },
);

test('what somebody proposed who was revoked since is not approved', async (t) => {
  const eve = await anotherOperator(service, 'Eve');
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const proposal = await propose('POST', `/partners/${partnerId}/top-ups`, wire, eve);
  const { operatorId } = (await eve.get('/operators/me')).body;
  await ada.delete(`/operators/${operatorId}`);
  t.is((await approve(bob, proposal)).status, 409);
  t.is(await fundingOf(partnerId), 0);
});

test('an approval that died midway is carried out when it is repeated, once', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const proposal = await propose('POST', `/partners/${partnerId}/top-ups`, wire);
  const messenger = {
    ...service.messenger,
    wakeWallet: () => Promise.reject(new Error('the process ends here')),
  };
  const dying = await startAnotherAdminApi(service, { messenger });
  t.is((await approve(new Operator(dying, bob.token), proposal)).status, 500);
  await dying.stop();
  const { proposalId } = proposal;
  t.like((await ada.get(`/proposals/${proposalId}`)).body, {
    status: 'APPROVED',
    carriedOutAt: null,
  });
  const entries = () =>
    service.models.auditEntries.find({ partnerId, action: 'partner.top-up' }).lean();
  t.like((await entries())[0], { status: 'INTENDED', actorId: adaId, approvedBy: bobId });

  t.is((await approve(bob, proposal)).status, 200);
  t.is(await fundingOf(partnerId), 5_000);
  t.deepEqual(
    (await entries()).map(({ status }) => status),
    ['DONE'],
  );
});

test('a LIVE credential and its secrets need two, and the secret is shown with the approval alone', async (t) => {
  const { partnerId, integrationId } = await service.partner({ mode: 'LIVE' });
  const path = `/partners/${partnerId}/credentials`;
  const fields = { integrationId, scopes: ['events:write'] };
  t.is((await ada.post(path, { ...fields, mode: 'TEST' })).status, 201);
  const proposal = await propose('POST', path, { ...fields, mode: 'LIVE' });
  t.is((await ada.get(path)).body.items.filter(isLive).length, 1);
  const approved = await approve(bob, proposal);
  t.is(approved.headers.get('cache-control'), 'no-store');
  const { credential, secret } = approved.body.result;
  t.regex(secret, /^sk_live_/);
  t.is((await ada.get(path)).body.items.filter(isLive).length, 2);

  const rotation = await propose('POST', `/credentials/${credential.credentialId}/secrets`);
  const rotated = await approve(bob, rotation);
  t.is(rotated.body.result.credential.secrets.length, 2);
  const stored = JSON.stringify([
    await service.models.proposals.find().lean(),
    await service.models.auditEntries.find().lean(),
  ]);
  for (const one of [secret, rotated.body.result.secret]) t.false(stored.includes(one));
  t.is((await approve(bob, proposal)).body.result, null);
});

const isLive = ({ mode }: { mode: string }) => mode === 'LIVE';

test('a credential whose approval lost its answer is made once, with a secret that works', async (t) => {
  const { partnerId, integrationId } = await service.partner({ mode: 'LIVE' });
  const fields = { integrationId, mode: 'LIVE', scopes: ['events:write'] };
  const path = `/partners/${partnerId}/credentials`;
  const proposal = await propose('POST', path, fields);
  const first = (await approve(bob, proposal)).body.result;
  const { proposalId } = proposal;
  await service.models.proposals.updateOne({ _id: proposalId }, { $set: { carriedOutAt: null } });
  const again = (await approve(bob, proposal)).body.result;
  t.is(again.credential.credentialId, first.credential.credentialId);
  t.is(again.credential.secrets.length, 1);
  t.not(again.secret, first.secret);
});

test('a redemption above the threshold needs two', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 1_000 });
  const { customerId } = await claimed(partner);
  const path = `/customers/${customerId}/redemptions`;
  const large = await propose('POST', path, { points: 101, reference: 'large' });
  t.like(large.facts, { points: 101, cents: 101, currency: 'USD' });
  t.is((await ada.post(path, { points: 60, reference: 'small' })).status, 201);
  t.is((await ada.post(path, { points: 60, reference: 'small' })).status, 200, 'counted once');
  t.is((await approve(bob, large)).body.result.customer.points, 338);

  // What is done alone is summed: of the customer and the partner, whoever asks.
  for (const by of [ada, await anotherOperator(service, 'Fay', 'finance')]) {
    await propose('POST', path, { points: 41, reference: 'more' }, by);
  }
  const small = Array.from({ length: 4 }, (_, at) => ({ points: 25, reference: `small ${at}` }));
  const replies = await Promise.all(small.map((one) => ada.post(path, one)));
  t.is(replies.filter(({ status }) => status === 201).length, 1);
  t.is((await ada.get(`/customers/${customerId}`)).body.points, 313);
});

test('what is redeemed is worth no more than was approved', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 100_000 });
  const { customerId } = await claimed(partner);
  const path = `/customers/${customerId}/redemptions`;
  const proposal = await propose('POST', path, { points: 499, reference: 'all' });
  t.is(proposal.facts.cents, 499);
  // A dearer point, a purchase and a claim later, the same points would take more with them.
  await activateRule(service.models, {
    ...{ partnerId: partner.partnerId, mode: 'LIVE', kind: 'FIXED', points: 10 },
    pointValueMicros: 1_000_000,
  });
  await claimed(partner, 499);
  const refused = await approve(bob, proposal);
  t.is(refused.status, 409);
  t.is((await ada.get(`/customers/${customerId}`)).body.points, 509);
  const { models, ledger } = service;
  const race = { customerId, points: 499, reference: 'all' };
  const by = { actor: system('test'), approvedBy: bobId, facts: { cents: 499 }, idOf: newId };
  await t.throwsAsync(
    redeem.run({ models, ledger, now: Date.now }, race, {
      ...by,
      found: { partnerId: partner.partnerId, customerId },
    }),
    { code: 'CONFLICT', message: /worth more/ },
  );
});

test('a LIVE rule is changed by two, and nobody makes a point dearer than the contract', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE', rule: null });
  const rules = `/partners/${partnerId}/earning-rules`;
  const fields = { mode: 'LIVE', currency: 'USD', kind: 'FIXED', points: 100 };
  for (const dear of [
    { pointValueMicros: 1_000_000_000 },
    { pointValueMicros: 1_000_000, points: 1_001, capPerOrderPoints: 1_001 },
  ]) {
    const refused = await ada.post(rules, { ...fields, ...dear });
    t.is(refused.status, 400);
    t.regex(refused.body.error.message, /the partner's contract/);
  }
  const uncapped = { kind: 'PER_AMOUNT', points: 1, unitCents: 1, pointValueMicros: 10_000 };
  const made = (await ada.post(rules, { ...fields, ...uncapped })).body;
  t.is(made.capPerOrderPoints, 100_000, 'no cap is the contract’s');

  const activation = await propose('POST', `/earning-rules/${made.ruleId}/activate`);
  t.like(activation.facts, { largestRewardCents: 100_000, currency: 'USD', activeRuleId: null });
  const active = async () => (await ada.get(rules)).body.items.find(isActive)?.ruleId;
  t.is(await active(), undefined);
  t.is((await approve(ada, activation)).status, 403);
  t.is((await approve(bob, activation)).status, 200);
  t.is(await active(), made.ruleId);
  await propose('POST', `/earning-rules/${made.ruleId}/deactivate`);
  t.is(await active(), made.ruleId);

  const path = `/partners/${partnerId}`;
  const raise = await propose('PATCH', path, { maxPointMicros: 1_000_000_000 });
  t.like(raise.facts, { before: { maxPointMicros: 1_000_000 } });
  t.is((await ada.get(path)).body.maxPointMicros, 1_000_000);
  t.is((await ada.patch(path, { name: 'Corner Shop Ltd' })).status, 200);

  // What was drafted under another contract is not activated under this one.
  const late = (await ada.post(rules, { ...fields, points: 50 })).body;
  await approve(bob, await propose('PATCH', path, { maxRewardCents: 1 }));
  const beyond = await propose('POST', `/earning-rules/${late.ruleId}/activate`);
  t.is((await approve(bob, beyond)).status, 409);
  t.is(await active(), made.ruleId);
});

const isActive = (rule: { active: boolean }): boolean => rule.active;

test('what cannot be done when it is approved is refused, and its operation has failed', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 1_000 });
  const { customerId } = await claimed(partner);
  const path = `/customers/${customerId}/redemptions`;
  const proposal = await propose('POST', path, { points: 500, reference: 'too much' });
  const reply = await approve(bob, proposal);
  t.is(reply.status, 409);
  const [entry] = await auditOf(service, reply);
  t.like(entry, { status: 'FAILED', approvedBy: bobId, details: { code: 'CONFLICT' } });
});

test('a decision about a reward above the threshold needs two, and its reason stays sealed', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 1_000 });
  const { rewardId, externalOrderId } = await claimed(partner);
  await partner.refund({ externalOrderId });
  const review = await eventually(
    () => service.models.reviews.findOne({ rewardId }).lean(),
    'a review',
  );
  const verdict = {
    decision: 'UPHOLD',
    reasonCode: 'GOODS_RETURNED',
    reason: 'Jane sent it back',
  };
  const proposal = await propose('POST', `/reviews/${review._id}/decision`, verdict);
  t.false(JSON.stringify(await service.models.proposals.find().lean()).includes('Jane'));
  t.is((await ada.get(`/rewards/${rewardId}`)).body.status, 'ADMIN_REVIEW');
  const shown = await bob.get(`/proposals/${proposal.proposalId}`);
  t.is(shown.body.arguments.reason, verdict.reason);
  const [read] = await auditOf(service, shown);
  t.like(read, { action: 'proposal.read', actorId: bobId, targetId: proposal.proposalId });
  const { result } = (await approve(bob, proposal)).body;
  t.like(result, { status: 'DECIDED' });
  t.is(result.decision.operatorId, adaId);
  t.is((await ada.get(`/rewards/${rewardId}`)).body.status, 'CANCELLED');
});

test('whoever upholds the refund of points that cost nothing takes no cent that is owed for others', async (t) => {
  const partner = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  await claimed(partner);
  // Many points that are worth nothing, for the same customer.
  await activateRule(service.models, {
    ...{ partnerId: partner.partnerId, mode: 'LIVE', kind: 'FIXED', points: 100_000 },
    pointValueMicros: 0,
  });
  const { rewardId, externalOrderId, liabilityCents } = await claimed(partner, 499);
  t.is(liabilityCents, 0);
  const { customerId } = (await ada.get(`/rewards/${rewardId}`)).body;
  const spent = { points: 499, reference: 'till' };
  t.is((await ada.post(`/customers/${customerId}/redemptions`, spent)).status, 201);
  await partner.refund({ externalOrderId });
  const review = await eventually(
    () => service.models.reviews.findOne({ rewardId }).lean(),
    'a review',
  );
  const held = async () => (await ada.get(`/customers/${customerId}`)).body;
  const before = await held();
  t.true(before.owedCents > 100);
  const verdict = { decision: 'UPHOLD', reasonCode: 'GOODS_RETURNED' };
  t.is((await ada.post(`/reviews/${review._id}/decision`, verdict)).status, 200);
  const after = await eventually(async () => {
    const now = await held();
    return now.points < before.points && now;
  }, 'the points are taken back');
  t.is(after.owedCents, before.owedCents);
});

test('nobody makes the second pair of eyes alone, and who approves it learns no token', async (t) => {
  const email = () => `${randomUUID()}@operators.example`;
  const puppet = { name: 'Puppet', role: 'finance', email: email() };
  const proposal = await propose('POST', '/operators', puppet);
  t.like(proposal.facts, puppet, 'who approves sees the address');
  const other = await propose('POST', '/operators', { ...puppet, email: email() });
  t.not(other.proposalId, proposal.proposalId, 'another address is another proposal');
  const { result } = (await approve(bob, proposal)).body;
  t.deepEqual(result.tokens, []);
  const { operatorId } = result;
  t.is((await bob.post(`/operators/${operatorId}/tokens`)).status, 404);

  const raise = await propose('PATCH', `/operators/${operatorId}`, { role: 'admin' });
  t.is((await ada.get(`/operators/${operatorId}`)).body.role, 'finance');
  t.is((await approve(bob, raise)).body.result.role, 'admin');
  const lowered = await ada.patch(`/operators/${operatorId}`, { role: 'viewer' });
  t.deepEqual([lowered.status, lowered.body.role], [200, 'viewer']);
});

test('who introduced an operator and they approve nothing of each other’s, unless a third confirms them', async (t) => {
  const { models } = service;
  const introduced = async (name: string, introducedBy: string) => {
    const one = await anotherOperator(service, name);
    const { operatorId } = await one.me();
    const introduction = { introducedBy, introducedAt: new Date() };
    await models.operators.updateOne({ _id: operatorId }, { $set: introduction });
    return { one, operatorId };
  };
  const eve = await introduced('Eve', adaId);
  const mal = await introduced('Mal', adaId);
  const zoe = await introduced('Zoe', eve.operatorId);
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const path = `/partners/${partnerId}/top-ups`;
  const pairs = [
    [ada, eve.one],
    [eve.one, ada],
    [ada, zoe.one],
    [mal.one, eve.one],
    [mal.one, zoe.one],
  ] as const;
  for (const [at, [proposer, approver]] of pairs.entries()) {
    const asked = { ...wire, externalReference: `wire ${at}` };
    const proposal = await propose('POST', path, asked, proposer);
    const refused = await approve(approver, proposal);
    t.is(refused.status, 403, `${at}`);
    t.regex(refused.body.error.message, /introduced/);
  }
  t.is(await fundingOf(partnerId), 0);
  for (const puppet of [ada, mal.one, eve.one]) {
    t.is((await puppet.post(`/operators/${eve.operatorId}/confirmation`)).status, 403);
  }
  const late = { introducedAt: new Date(Date.now() - 31 * 24 * 3_600_000) };
  await models.operators.updateOne({ _id: mal.operatorId }, { $set: late });
  const old = await propose('POST', path, { ...wire, externalReference: 'wire 3' }, mal.one);
  t.is((await approve(eve.one, old)).status, 200, 'after 30 days');
  t.is((await bob.post(`/operators/${eve.operatorId}/confirmation`)).status, 200);
  const known = await propose('POST', path, { ...wire, externalReference: 'wire 0' });
  t.is((await approve(eve.one, known)).status, 200, 'once a third has confirmed');
});

test('a partner becomes live once another operator approves it, and not before', async (t) => {
  const { partnerId, integrationId } = await ada.setUp(profileOf('Corner Shop'));
  await ada.patch(`/partners/${partnerId}`, { goLiveMinimumFundingCents: 1 });
  const { models, sealer, baseUrl } = service;
  for (const mode of ['TEST', 'LIVE'] as const) await activateRule(models, { partnerId, mode });
  await approve(bob, await propose('POST', `/partners/${partnerId}/top-ups`, wire));
  const shop = new PartnerBackend({
    ...{ baseUrl, partnerId, integrationId, mode: 'TEST', scopes: ['events:write'] },
  });
  await shop.addCredential(models, sealer);
  const purchase = aPurchase();
  await shop.purchase(purchase);
  await shop.refund({ externalOrderId: purchase.externalOrderId });

  const path = `/partners/${partnerId}/go-live`;
  t.is((await ada.post(`${path}/request`)).body.state, 'IN_REVIEW');
  const shown = await propose('POST', `${path}/approval`);
  t.like(shown.facts, { name: 'Corner Shop', fundingCents: 5_000, users: [], invitations: [] });
  t.is(shown.facts.rules.length, 1);
  // Whatever of it changes by then ends the proposal: who may act for the partner, and its name.
  const invitations = `/partners/${partnerId}/invitations`;
  await ada.post(invitations, { email: 'late@shop.example', role: 'developer' });
  t.is((await approve(bob, shown)).status, 409);
  const renamed = await propose('POST', `${path}/approval`);
  t.like(renamed.facts.invitations[0], { role: 'developer', invitedBy: adaId });
  await ada.patch(`/partners/${partnerId}`, { name: 'Corner Bank' });
  t.is((await approve(bob, renamed)).status, 409);
  const proposal = await propose('POST', `${path}/approval`);
  t.is((await approve(ada, proposal)).status, 403);
  t.is((await ada.get(path)).body.state, 'IN_REVIEW');
  const approved = await approve(bob, proposal);
  t.like(approved.body.result, { state: 'LIVE', reviewerId: adaId });
  const [entry] = await auditOf(service, approved);
  const operation = { action: 'partner.approve-go-live', actorId: adaId, approvedBy: bobId };
  t.like(entry, { ...operation, status: 'DONE' });

  const { proposalId } = proposal;
  await models.proposals.updateOne({ _id: proposalId }, { $set: { carriedOutAt: null } });
  t.is((await approve(bob, proposal)).body.result.state, 'LIVE');
});

test('npm run prove:attack finds no way in', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['dev/prove-attack.ts', '--admin-url', ada.url, '--token', ada.token],
    ...['--partner', partnerId],
  ]);
  t.regex(stdout, /14 tried, 0 got through/);
});

test('test funding is nobody’s money and needs one', async (t) => {
  const { integrationId } = await service.partner();
  const { currency: _, ...testMoney } = wire;
  t.is((await ada.post(`/integrations/${integrationId}/test-funding`, testMoney)).status, 201);
});
