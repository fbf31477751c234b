import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import { claimTokenOf } from '../../helpers/claim-token.ts';
import { eventually } from '../../helpers/eventually.ts';
import { aPurchase, type PartnerBackend } from '../../helpers/partner-backend.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { auditOf, Operator } from './helpers/operator.ts';

/** What the reward of `aPurchase` costs under the helper's rule: 499 points, a cent each. */
const rewardCents = 499;

let service: Service;
let ada: Operator;
test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
});
test.after.always(() => service?.stop());

const topUp = (partnerId: string, amountCents: unknown, externalReference: unknown = 'wire 1') =>
  ada.post(`/partners/${partnerId}/top-ups`, { amountCents, currency: 'USD', externalReference });

async function funded(amountCents = 10_000): Promise<PartnerBackend> {
  const partner = await service.partner({ mode: 'LIVE' });
  await topUp(partner.partnerId, amountCents);
  return partner;
}

/** A reward of this partner that its customer has claimed. */
async function claimed(partner: PartnerBackend, email = 'customer@example.com') {
  const { body } = await partner.purchase(aPurchase({ customer: { email } }));
  const token = await claimTokenOf(service, body.eventId);
  const answer = await service.claim(token);
  if (answer.status !== 200) throw new Error(`the claim was answered with ${answer.status}`);
  await service.carriedOut(partner);
  const { body: reward } = await ada.get(`/rewards/${body.reward.id}`);
  return reward;
}

test('a top-up puts money into the LIVE funding, once per external reference', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const made = await topUp(partnerId, 5_000);
  t.is(made.status, 201);
  t.like(made.body.transaction, { kind: 'TOP_UP', reference: 'topUp:wire 1', partnerId });
  t.deepEqual(made.body.wallet, {
    partnerId,
    mode: 'LIVE',
    currency: 'USD',
    fundingCents: 5_000,
    reservedCents: 0,
    owedCents: 0,
    awaitingRewards: 0,
    awaitingCents: 0,
  });
  const again = await topUp(partnerId, 5_000);
  t.is(again.status, 200);
  t.deepEqual(again.body, made.body);
  const other = await topUp(partnerId, 5_001);
  t.is(other.status, 409);
  t.is(other.body.error.code, 'CONFLICT');
  t.is((await topUp(partnerId, 1, 'wire 2')).body.wallet.fundingCents, 5_001);
  t.deepEqual((await ada.get(`/partners/${partnerId}/wallet`)).body.fundingCents, 5_001);
});

test('twenty equal top-ups at once put the money in once', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const replies = await Promise.all(Array.from({ length: 20 }, () => topUp(partnerId, 700)));
  t.is(replies.filter(({ status }) => status === 201).length, 1);
  t.is(replies.filter(({ status }) => status === 200).length, 19);
  t.is((await ada.get(`/partners/${partnerId}/wallet`)).body.fundingCents, 700);
});

test('a top-up leaves one audit entry, and a repeat leaves it where the first did not live to', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const made = await topUp(partnerId, 5_000);
  const [entry, ...others] = await auditOf(service, made);
  t.deepEqual(others, []);
  t.like(entry, {
    action: 'partner.top-up',
    status: 'DONE',
    targetId: partnerId,
    partnerId,
    details: { reference: 'wire 1', amountCents: 5_000 },
  });
  t.deepEqual(await auditOf(service, await topUp(partnerId, 5_000)), []);
  await service.models.auditEntries.deleteOne({ _id: entry?._id ?? '' });
  t.is((await auditOf(service, await topUp(partnerId, 5_000))).length, 1);
});

test('what is no amount or no reference is refused by name and changes nothing', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  for (const amountCents of [0, -1, 1.5, '100', null, 100_000_000_001, undefined]) {
    const { status, body } = await topUp(partnerId, amountCents);
    t.is(status, 400, String(amountCents));
    t.regex(body.error.message, /amountCents/);
  }
  for (const reference of ['', ' ', 'a\nb', 'x'.repeat(161), 7, null]) {
    const { status, body } = await topUp(partnerId, 100, reference);
    t.is(status, 400, String(reference));
    t.regex(body.error.message, /externalReference/);
  }
  t.is((await topUp('prt_nobody', 100)).status, 404);
  t.is(await service.models.ledger.countDocuments({ partnerId }), 0);
});

test('test funding is the integration’s alone, and never in the ledger', async (t) => {
  const { partnerId, integrationId } = await service.partner();
  const path = `/integrations/${integrationId}/test-funding`;
  const deposit = { amountCents: 1_000, externalReference: 'play money' };
  const made = await ada.post(path, deposit);
  t.is(made.status, 201);
  t.like(made.body.wallet, { mode: 'TEST', integrationId, fundingCents: 1_000 });
  const [entry] = await auditOf(service, made);
  t.like(entry, { action: 'integration.test-funding', targetId: integrationId, partnerId });
  t.is((await ada.post(path, deposit)).status, 200);
  t.is((await ada.get(path)).body.fundingCents, 1_000);
  t.is((await ada.get(`/partners/${partnerId}/wallet`)).body.fundingCents, 0);
  t.is(await service.models.ledger.countDocuments({ partnerId }), 0);

  const { integrationId: sibling } = (
    await ada.post(`/partners/${partnerId}/integrations`, { name: 'app' })
  ).body;
  t.is((await ada.post(`/integrations/${sibling}/test-funding`, deposit)).status, 201);
  t.is((await ada.post('/integrations/int_nobody/test-funding', deposit)).status, 404);
});

test('a top-up funds what waits for it', async (t) => {
  const partner = await service.partner({ mode: 'LIVE' });
  const { body } = await partner.purchase();
  const rewardOf = async () => (await ada.get(`/rewards/${body.reward.id}`)).body;
  await eventually(async () => (await rewardOf()).status === 'AWAITING_FUNDING', 'it waits');
  t.like((await ada.get(`/partners/${partner.partnerId}/wallet`)).body, {
    awaitingRewards: 1,
    awaitingCents: rewardCents,
  });
  await topUp(partner.partnerId, 500);
  await eventually(async () => (await rewardOf()).funded, 'it is funded');
  t.like((await ada.get(`/partners/${partner.partnerId}/wallet`)).body, {
    fundingCents: 1,
    reservedCents: rewardCents,
    awaitingRewards: 0,
    awaitingCents: 0,
  });
});

test('a customer who claimed spends points, and each takes its share of what is owed', async (t) => {
  const partner = await funded();
  const { customerId } = await claimed(partner);
  t.regex(customerId, /^cus_/);
  const { partnerId } = partner;
  const holds = { customerId, partnerId, points: 499, owedCents: 499 };
  const shown = await ada.get(`/customers/${customerId}`);
  t.deepEqual(shown.body, holds);
  const [read] = await auditOf(service, shown);
  t.like(read, { action: 'customer.read', targetId: customerId, partnerId, status: 'DONE' });

  const path = `/customers/${customerId}/redemptions`;
  const spend = { points: 300, reference: 'voucher 7' };
  const made = await ada.post(path, spend);
  t.is(made.status, 201);
  t.deepEqual(made.body.customer, { ...holds, points: 199, owedCents: 199 });
  const [entry] = await auditOf(service, made);
  t.like(entry, { action: 'customer.redeem', targetId: customerId, partnerId, details: spend });
  t.is((await ada.post(path, spend)).status, 200);
  t.is((await ada.get(`/customers/${customerId}`)).body.points, 199);

  const other = await ada.post(path, { ...spend, points: 1 });
  t.is(other.body.error.code, 'CONFLICT');
  const tooMany = await ada.post(path, { points: 200, reference: 'voucher 8' });
  t.is(tooMany.status, 409);
  t.regex(tooMany.body.error.message, /199 points/);
  t.is((await ada.get(`/partners/${partnerId}/wallet`)).body.owedCents, 199);
});

test('points that are spent at once are spent once each', async (t) => {
  const { customerId } = await claimed(await funded());
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      ada.post(`/customers/${customerId}/redemptions`, { points: 100, reference: `v${index}` }),
    ),
  );
  t.is(replies.filter(({ status }) => status === 201).length, 4);
  t.is(replies.filter(({ status }) => status === 409).length, 6);
  t.like((await ada.get(`/customers/${customerId}`)).body, { points: 99, owedCents: 99 });
});

test('a customer of TEST alone has no balance to spend', async (t) => {
  const { customerId } = await claimed(await service.partner());
  t.is((await ada.get(`/customers/${customerId}`)).status, 404);
  const spend = { points: 1, reference: 'r' };
  t.is((await ada.post(`/customers/${customerId}/redemptions`, spend)).status, 404);
  t.is((await ada.post('/customers/cus_nobody/redemptions', spend)).status, 404);
});

test('the ledger is listed newest first, by account and by reward', async (t) => {
  const partner = await funded();
  const one = await claimed(partner, 'ann@example.com');
  const other = await claimed(partner, 'ben@example.com');
  const list = async (query = '') =>
    (await ada.get(`/partners/${partner.partnerId}/ledger${query}`)).body.items;
  const all = await list();
  t.is(all.length, 5);
  t.is(all.at(-1).reference, 'topUp:wire 1');
  t.deepEqual(
    (await list(`?reward=${one.rewardId}`)).map(
      ({ reference }: { reference: string }) => reference,
    ),
    [`claim:${one.rewardId}`, `reserve:${one.rewardId}`],
  );
  const [payable, ...more] = await list(`?account=payable:${other.customerId}`);
  t.deepEqual(more, []);
  t.is(payable.reference, `claim:${other.rewardId}`);
  t.is(
    payable.postings.find(({ account }: { account: string }) => account.startsWith('payable:'))
      .balanceAfter,
    rewardCents,
  );
  t.is((await ada.get('/partners/prt_nobody/ledger')).status, 404);
});

test('rewards are found by their customer', async (t) => {
  const partner = await funded();
  const { customerId, rewardId } = await claimed(partner);
  const { items } = (await ada.get(`/rewards?customer=${customerId}`)).body;
  t.deepEqual(
    items.map((reward: { rewardId: string }) => reward.rewardId),
    [rewardId],
  );
  t.is(items[0].liabilityCents, rewardCents);
});

test('LIVE rules are in the currency of the partner’s funds, which stays once it is in use', async (t) => {
  const { partnerId } = await ada.setUp({ currency: 'EUR' });
  const rule = { kind: 'PER_AMOUNT', points: 1, unitCents: 100 };
  const rules = `/partners/${partnerId}/earning-rules`;
  const refused = await ada.post(rules, { ...rule, mode: 'LIVE', currency: 'USD' });
  t.is(refused.status, 400);
  t.regex(refused.body.error.message, /currency must be EUR/);
  t.is((await ada.post(rules, { ...rule, mode: 'TEST', currency: 'USD' })).status, 201);
  t.is((await ada.patch(`/partners/${partnerId}`, { currency: 'GBP' })).status, 200);
  t.is((await ada.post(rules, { ...rule, mode: 'LIVE', currency: 'GBP' })).status, 201);
  const changed = await ada.patch(`/partners/${partnerId}`, { currency: 'USD' });
  t.is(changed.status, 409);
  t.is(changed.body.error.code, 'CONFLICT');
  t.is((await ada.patch(`/partners/${partnerId}`, { currency: 'GBP' })).status, 200);
});

test('an operator sets whom to tell of low funds, and when', async (t) => {
  const { partnerId } = await ada.setUp();
  const changes = { contactEmail: 'owner@shop.example', lowBalanceThresholdCents: 5_000 };
  t.like((await ada.patch(`/partners/${partnerId}`, changes)).body, changes);
  for (const wrong of [
    { contactEmail: 'nobody' },
    { lowBalanceThresholdCents: -1 },
    { currency: 'usd' },
  ]) {
    const { body } = await ada.patch(`/partners/${partnerId}`, wrong);
    t.is(body.error?.code, 'VALIDATION_FAILED', JSON.stringify(wrong));
  }
});

test('the commands bring money in, let customers spend, and show where it stands', async (t) => {
  const admin = async (...args: string[]) => {
    const env = { ...process.env, ADMIN_URL: ada.url, ADMIN_TOKEN: ada.token };
    const command = ['cli/admin.ts', ...args, '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, command, { env });
    return JSON.parse(stdout);
  };
  const partner = await service.partner({ mode: 'LIVE' });
  const { partnerId, integrationId } = partner;
  const money = ['--amount-cents', '5000', '--external-reference', 'wire 9'];
  t.is(
    (await admin('top-up', partnerId, '--currency', 'USD', ...money)).wallet.fundingCents,
    5_000,
  );
  t.is((await admin('test-funding', integrationId, ...money)).wallet.mode, 'TEST');
  const { customerId } = await claimed(partner);
  const spent = await admin(
    'customers',
    'redeem',
    customerId,
    '--points',
    '99',
    '--reference',
    'r',
  );
  t.is(spent.customer.points, 400);
  t.is((await admin('customers', 'show', customerId)).points, 400);
  t.is((await admin('wallet', partnerId)).owedCents, 400);
  t.is((await admin('wallet', partnerId, '--integration', integrationId)).fundingCents, 5_000);
  t.is((await admin('ledger', partnerId)).items.length, 4);
});
