import test from 'ava';
import { claimTokenOf } from '../../helpers/claim-token.ts';
import { eventually } from '../../helpers/eventually.ts';
import { aPurchase, type PartnerBackend } from '../../helpers/partner-backend.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { auditOf, Operator } from './helpers/operator.ts';

/** The cost of the reward of `aPurchase` under the default rule: 499 points at one cent each. */
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

/** Creates a reward and claims it. */
async function claimed(partner: PartnerBackend, email = 'customer@example.com') {
  const { body } = await partner.purchase(aPurchase({ customer: { email } }));
  const token = await claimTokenOf(service, body.eventId);
  const answer = await service.claim(token);
  if (answer.status !== 200) throw new Error(`the claim returned ${answer.status}`);
  await service.carriedOut(partner);
  const { body: reward } = await ada.get(`/rewards/${body.reward.id}`);
  return reward;
}

test('a top-up returns its transaction and the wallet', async (t) => {
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
  t.deepEqual([other.status, other.body.error.code], [409, 'CONFLICT']);
  t.deepEqual((await ada.get(`/partners/${partnerId}/wallet`)).body, made.body.wallet);
});

test('granting test funding returns the integration’s wallet', async (t) => {
  const { integrationId } = await service.partner();
  const path = `/integrations/${integrationId}/test-funding`;
  const funding = { amountCents: 1_000, externalReference: 'play money' };
  const made = await ada.post(path, funding);
  t.is(made.status, 201);
  t.like(made.body.wallet, { mode: 'TEST', integrationId, fundingCents: 1_000 });
  t.is((await ada.post(path, funding)).status, 200);
  t.deepEqual((await ada.get(path)).body, made.body.wallet);
  t.is((await ada.post('/integrations/int_nobody/test-funding', funding)).status, 404);
});

test('a top-up funds waiting rewards', async (t) => {
  const partner = await service.partner({ mode: 'LIVE' });
  const { body } = await partner.purchase();
  const rewardOf = async () => (await ada.get(`/rewards/${body.reward.id}`)).body;
  await eventually(
    async () => (await rewardOf()).status === 'AWAITING_FUNDING',
    'the reward waits',
  );
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

test('a customer who claimed is found by their rewards, shown, and spends points', async (t) => {
  const partner = await funded();
  const { customerId, rewardId } = await claimed(partner);
  t.regex(customerId, /^cus_/);
  const { partnerId } = partner;
  const holds = { customerId, partnerId, points: 499, owedCents: 499 };
  const shown = await ada.get(`/customers/${customerId}`);
  t.deepEqual(shown.body, holds);
  const [read] = await auditOf(service, shown);
  t.like(read, { action: 'customer.read', targetId: customerId, partnerId, status: 'DONE' });
  const { items } = (await ada.get(`/rewards?customer=${customerId}`)).body;
  t.is(items.length, 1);
  t.like(items[0], { rewardId, liabilityCents: rewardCents });

  const path = `/customers/${customerId}/redemptions`;
  const spend = { points: 300, reference: 'voucher 7' };
  const made = await ada.post(path, spend);
  t.is(made.status, 201);
  t.deepEqual(made.body.customer, { ...holds, points: 199, owedCents: 199 });
  t.is((await ada.post(path, spend)).status, 200);
  t.is((await ada.post(path, { ...spend, points: 1 })).status, 409);
  t.is((await ada.get(`/partners/${partnerId}/wallet`)).body.owedCents, 199);
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
