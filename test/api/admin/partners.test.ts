import test from 'ava';
import { largePlan, smallPlan } from '../../helpers/billing.ts';
import { eventually } from '../../helpers/eventually.ts';
import { auditOf, Operator } from '../../helpers/operator.ts';
import { aPurchase, PartnerBackend } from '../../helpers/partner-backend.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { rewardCents, type Town, townOf } from '../../helpers/town.ts';
import { partnerInReview } from '../../portal/helpers/partner-in-review.ts';

let service: Service;
let town: Town;
let ada: Operator;

const perAmount = { mode: 'TEST', currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 };

async function aCredential() {
  const { partnerId, integrationId } = await ada.setUp();
  const scopes = ['events:write', 'events:read'];
  const reply = await ada.post(`/partners/${partnerId}/credentials`, {
    integrationId,
    mode: 'TEST',
    scopes,
  });
  const { credential, secret } = reply.body;
  const backend = new PartnerBackend({
    baseUrl: service.baseUrl,
    partnerId,
    integrationId,
    mode: 'TEST',
    scopes: [],
  }).changed({ key: credential.apiKey, secret });
  return { partnerId, reply, credentialId: credential.credentialId, backend };
}

test('a partner is created, listed, shown and changed, and each write leaves an audit entry', async (t) => {
  const made = await ada.post('/partners', { name: 'Corner Shop' });
  t.is(made.status, 201);
  const { partnerId } = made.body;
  t.like(made.body, {
    name: 'Corner Shop',
    status: 'ACTIVE',
    goLiveState: 'SANDBOX',
    country: null,
    apiRateLimitPerMinute: 600,
  });
  const [create] = await auditOf(service, made);
  t.like(create, {
    action: 'partner.create',
    targetId: partnerId,
    partnerId,
    details: { name: 'Corner Shop' },
  });

  const changes = {
    status: 'SUSPENDED',
    legalName: 'Eckladen GmbH',
    website: 'https://eckladen.example',
    supportEmail: 'hilfe@eckladen.example',
    goLiveMinimumFundingCents: 50_000,
    country: 'DE',
    apiRateLimitPerMinute: 60,
    name: 'Eckladen',
  };
  const changed = await ada.patch(`/partners/${partnerId}`, changes);
  t.is(changed.status, 200);
  t.like(changed.body, changes);
  const [update] = await auditOf(service, changed);
  t.like(update, { action: 'partner.update', targetId: partnerId, details: changes });

  t.deepEqual((await ada.get(`/partners/${partnerId}`)).body, changed.body);
  const { items } = (await ada.get('/partners?limit=100')).body;
  t.true(items.some((partner: { partnerId: string }) => partner.partnerId === partnerId));
});

test('an unknown partner is NOT_FOUND on every route', async (t) => {
  const replies = [
    await ada.get('/partners/prt_none'),
    await ada.patch('/partners/prt_none', { name: 'x' }),
    await ada.get('/partners/prt_none/integrations'),
    await ada.post('/partners/prt_none/integrations', { name: 'x' }),
    await ada.get('/partners/prt_none/credentials'),
    await ada.get('/partners/prt_none/earning-rules'),
    await ada.post('/partners/prt_none/earning-rules', perAmount),
  ];
  for (const reply of replies) {
    t.is(reply.status, 404);
    t.is(reply.body.error.code, 'NOT_FOUND');
    t.deepEqual(await auditOf(service, reply), []);
  }
});

test('an integration is created and listed', async (t) => {
  const { partnerId } = await ada.setUp();
  const made = await ada.post(`/partners/${partnerId}/integrations`, { name: 'till' });
  t.is(made.status, 201);
  const [entry] = await auditOf(service, made);
  t.like(entry, { action: 'integration.create', targetId: made.body.integrationId, partnerId });
  const { items } = (await ada.get(`/partners/${partnerId}/integrations`)).body;
  t.deepEqual(items.map(({ name }: { name: string }) => name).toSorted(), ['till', 'web shop']);
});

test('a secret is shown once, and never stored, listed or audited in clear', async (t) => {
  const { partnerId, reply, credentialId } = await aCredential();
  t.is(reply.status, 201);
  t.regex(reply.body.credential.apiKey, /^pk_test_[\w-]{43}$/);
  t.regex(reply.body.secret, /^sk_test_[\w-]{43}$/);
  t.is(reply.headers.get('cache-control'), 'no-store');
  const [entry] = await auditOf(service, reply);
  t.like(entry, { action: 'credential.create', targetId: credentialId, partnerId });
  const lists = await Promise.all(
    ['/audit', `/partners/${partnerId}/credentials`].map((path) => ada.get(path)),
  );
  for (const { text } of lists) t.false(text.includes(reply.body.secret));
  const [listed] = lists[1]?.body.items ?? [];
  const shown = ['createdAt', 'expiresAt', 'lastUsedAt', 'revokedAt', 'secretId'];
  t.deepEqual(Object.keys(listed.secrets[0]).toSorted(), shown);
});

test('two secrets work at a time, a third is a conflict, and a revoked one stops working within seconds', async (t) => {
  const { partnerId, reply, credentialId, backend: first } = await aCredential();
  const rule = await ada.post(`/partners/${partnerId}/earning-rules`, perAmount);
  await ada.post(`/earning-rules/${rule.body.ruleId}/activate`);
  t.is((await first.purchase()).body.reward.points, 499);

  const rotated = await ada.post(`/credentials/${credentialId}/secrets`);
  t.is(rotated.status, 201);
  const second = first.changed({ secret: rotated.body.secret });
  await eventually(
    async () => (await second.purchase()).status === 201,
    'the new secret is accepted',
  );
  t.is((await first.purchase()).status, 201);
  t.is((await ada.post(`/credentials/${credentialId}/secrets`)).body.error.code, 'CONFLICT');

  const path = `/credentials/${credentialId}/secrets/${reply.body.secretId}`;
  const revoked = await ada.delete(path);
  t.is(revoked.status, 200);
  t.truthy(revoked.body.secrets[0].revokedAt);
  const refused = await eventually(async () => {
    const answer = await first.purchase();
    return answer.status !== 201 && answer;
  }, 'the old secret is refused');
  t.is(refused.body.error.code, 'INVALID_SIGNATURE');
  t.is((await second.purchase()).status, 201);
  await eventually(async () => {
    const { items } = (await ada.get(`/partners/${partnerId}/credentials`)).body;
    return items[0].secrets.every(({ lastUsedAt }: { lastUsedAt: string | null }) => lastUsedAt);
  }, 'each secret shows when it was last used');
});

test('a revoked credential stops working within seconds', async (t) => {
  const { credentialId, backend } = await aCredential();
  t.is((await backend.purchase()).body.error.code, 'NO_ACTIVE_EARNING_RULE');
  t.truthy((await ada.delete(`/credentials/${credentialId}`)).body.revokedAt);
  const code = async () => (await backend.purchase(aPurchase())).body.error.code;
  t.true(await eventually(async () => (await code()) === 'INVALID_API_KEY', 'the key is refused'));
  t.is((await ada.post(`/credentials/${credentialId}/secrets`)).body.error.code, 'CONFLICT');
});

test('an unknown credential or secret is NOT_FOUND', async (t) => {
  const { credentialId } = await aCredential();
  t.is((await ada.post('/credentials/key_none/secrets')).status, 404);
  t.is((await ada.delete('/credentials/key_none')).status, 404);
  t.is((await ada.delete(`/credentials/${credentialId}/secrets/sec_none`)).status, 404);
});

test('a rule version is returned as it is stored, and shows as active once activated', async (t) => {
  const { partnerId } = await ada.setUp();
  const made = await ada.post(`/partners/${partnerId}/earning-rules`, perAmount);
  t.is(made.status, 201);
  t.like(made.body, { ...perAmount, active: false, claimWindow: 'P30D', campaign: null });
  const { ruleId } = made.body;
  for (const [how, active, changed] of [
    ['activate', true, true],
    ['activate', true, false],
    ['deactivate', false, true],
  ] as const) {
    const reply = await ada.post(`/earning-rules/${ruleId}/${how}`);
    t.is(reply.status, 200);
    t.is(reply.body.active, active);
    const [listed] = (await ada.get(`/partners/${partnerId}/earning-rules`)).body.items;
    t.is(listed.active, active);
    const [entry] = await auditOf(service, reply);
    t.like(entry, { action: `earning-rule.${how}`, targetId: ruleId, details: { changed } });
  }
});

test('an operation refuses and names unknown fields', async (t) => {
  const { partnerId } = await ada.setUp();
  const path = `/partners/${partnerId}/earning-rules`;
  const reply = await ada.post(path, { ...perAmount, points: 100_001 });
  t.deepEqual([reply.status, reply.body.error.code], [400, 'VALIDATION_FAILED']);
  t.true(reply.body.error.message.includes('points'));
});

test('the audit log lists who did what, newest first, also for one partner', async (t) => {
  const { partnerId, integrationId } = await ada.setUp();
  const { items } = (await ada.get(`/audit?partner=${partnerId}`)).body;
  t.deepEqual(
    new Map(items.map((entry: Record<string, unknown>) => [entry.action, entry.targetId])),
    new Map([
      ['integration.create', integrationId],
      ['partner.create', partnerId],
    ]),
  );
  for (const entry of items) {
    t.is(entry.actorName, 'Ada');
    t.regex(entry.requestId, /^req_/);
  }
  t.true((await ada.get('/audit?limit=1')).body.nextCursor.length > 0);
});

test('a go-live request is reviewed, sent back, made again and approved, and the partner is LIVE', async (t) => {
  const { partnerId, evidence } = await partnerInReview(service, 'Corner Shop');
  const path = `/partners/${partnerId}`;
  const shown = await ada.get(`${path}/go-live`);
  t.like(shown.body, { partnerId, state: 'IN_REVIEW', ready: true, reason: null });
  const named = shown.body.items.flatMap((item: { evidence: string[] }) => item.evidence);
  t.deepEqual(
    evidence.filter((id) => !named.includes(id)),
    [],
  );

  const reason = 'Which shop is this?';
  t.is((await ada.post(`${path}/go-live/return`, {})).status, 400);
  const returned = await ada.post(`${path}/go-live/return`, { reason });
  t.like(returned.body, { state: 'CHANGES_REQUESTED', reason });
  const early = await ada.post(`${path}/go-live/approval`);
  t.deepEqual([early.status, early.body.error.code], [409, 'CONFLICT']);
  t.is((await ada.post(`${path}/go-live/request`)).body.state, 'IN_REVIEW');
  const approved = await ada.post(`${path}/go-live/approval`);
  t.is(approved.status, 200);
  t.like(approved.body, { state: 'LIVE', ready: true });
  t.deepEqual(approved.body.items.at(-1).evidence, [approved.body.reviewerId]);

  const [integration] = (await ada.get(`${path}/integrations`)).body.items;
  const { integrationId } = integration;
  const fields = { integrationId, mode: 'LIVE', scopes: ['events:write'] };
  const made = await ada.post(`${path}/credentials`, fields);
  t.is(made.body.secret, null, 'a LIVE secret is shown to an owner alone');
  const { credential } = made.body;
  const { secrets } = await service.models.credentials.findById(credential.credentialId).orFail();
  const secret = service.sealer.open(secrets[0]?.sealed ?? '', credential.credentialId);
  const shop = new PartnerBackend({
    baseUrl: service.baseUrl,
    partnerId,
    integrationId,
    mode: 'LIVE',
    scopes: [],
  });
  t.is((await shop.changed({ key: credential.apiKey, secret }).purchase()).status, 201);
});

test('an unknown partner has no checklist', async (t) => {
  t.is((await ada.get('/partners/prt_none/go-live')).status, 404);
  t.is((await ada.post('/partners/prt_none/go-live/request')).status, 404);
});

async function published(fields: Record<string, unknown> = {}): Promise<string> {
  const { planVersionId } = (await ada.post('/plans', { ...smallPlan, ...fields })).body;
  await ada.post(`/plans/${planVersionId}/publish`);
  return planVersionId;
}

test('a plan version is drafted, published and archived, and each write leaves an audit entry', async (t) => {
  const fields = { ...smallPlan, planCode: 'life' };
  const made = await ada.post('/plans', fields);
  t.is(made.status, 201);
  t.like(made.body, { ...fields, version: 1, status: 'DRAFT', publishedAt: null });
  const { planVersionId } = made.body;
  const [create] = await auditOf(service, made);
  t.like(create, { action: 'plan.create', targetId: planVersionId, details: fields });

  for (const [verb, status] of [
    ['publish', 'PUBLISHED'],
    ['archive', 'ARCHIVED'],
  ] as const) {
    const reply = await ada.post(`/plans/${planVersionId}/${verb}`);
    t.is(reply.status, 200);
    t.is(reply.body.status, status);
    const [entry] = await auditOf(service, reply);
    t.like(entry, { action: `plan.${verb}`, targetId: planVersionId, partnerId: null });
  }
  const again = await ada.post(`/plans/${planVersionId}/publish`);
  t.is(again.status, 409);
  t.like((await auditOf(service, again))[0], { status: 'FAILED', details: { code: 'CONFLICT' } });

  const { items } = (await ada.get('/plans?status=ARCHIVED&limit=100')).body;
  t.true(items.some((plan: { planVersionId: string }) => plan.planVersionId === planVersionId));
});

test('a plan version with an invalid field is not drafted', async (t) => {
  for (const [field, value] of [
    ['planCode', 'Not A Code'],
    ['currency', 'usd'],
    ['monthlyPriceCents', -1],
    ['monthlyPriceCents', '10'],
    ['includedPoints', 1.5],
    ['supportClass', ''],
    ['features', 'one'],
  ] as const) {
    const reply = await ada.post('/plans', { ...smallPlan, [field]: value });
    t.deepEqual([reply.status, reply.body.error.code], [400, 'VALIDATION_FAILED']);
    t.true(reply.body.error.message.includes(field), field);
  }
});

test('a partner is subscribed, changes plan, is billed for the upgrade, and cancels', async (t) => {
  const [small, large] = [await published(), await published({ ...largePlan })];
  const { partnerId } = await ada.setUp();
  const path = `/partners/${partnerId}/subscription`;
  t.is((await ada.get(path)).status, 404);

  const made = await ada.post(path, { planVersionId: small });
  t.is(made.status, 201);
  t.like(made.body, { partnerId, planVersionId: small, interval: 'MONTH', status: 'ACTIVE' });
  const [create] = await auditOf(service, made);
  const targetId = made.body.subscriptionId;
  t.like(create, { action: 'subscription.create', targetId, partnerId });
  t.deepEqual((await ada.get(path)).body, made.body);
  t.is((await ada.post(path, { planVersionId: large })).body.error.code, 'CONFLICT');
  const weekly = await ada.post(path, { planVersionId: large, interval: 'WEEK' });
  t.is(weekly.body.error.code, 'VALIDATION_FAILED');

  const changed = await ada.post(`${path}/change`, { planVersionId: large });
  t.is(changed.status, 200);
  t.like(changed.body, { planVersionId: large, creditCents: 0 });
  const [change] = await auditOf(service, changed);
  t.like(change, { action: 'subscription.change', details: { planVersionId: large } });
  const { items } = (await ada.get(`/partners/${partnerId}/invoices`)).body;
  t.is(items.length, 1);
  t.like(items[0], { kind: 'PRORATION', status: 'ISSUED', paymentStatus: 'DUE' });
  t.regex(items[0].number, /^\d{4}-0001$/);

  const cancelled = await ada.post(`${path}/cancel`);
  t.is(cancelled.body.endsAt, changed.body.currentPeriodEnd);
  const [cancel] = await auditOf(service, cancelled);
  t.like(cancel, { action: 'subscription.cancel', targetId });
});

test('plans and subscriptions with an unknown id are NOT_FOUND', async (t) => {
  const { partnerId } = await ada.setUp();
  const planVersionId = await published({ planCode: 'alone' });
  for (const reply of [
    await ada.post('/plans/pln_none/publish'),
    await ada.post('/plans/pln_none/archive'),
    await ada.post('/partners/prt_none/subscription', { planVersionId }),
    await ada.post(`/partners/${partnerId}/subscription/change`, { planVersionId }),
    await ada.post(`/partners/${partnerId}/subscription/cancel`),
    await ada.get('/partners/prt_none/invoices'),
  ]) {
    t.is(reply.status, 404);
    t.is(reply.body.error.code, 'NOT_FOUND');
  }
});

test.before(async () => {
  service = await startService();
  town = townOf(service);
  ada = new Operator(service, service.adminToken);
});

test.after.always(async () => {
  await service?.stop();
});

const topUp = (partnerId: string, amountCents: unknown, externalReference: unknown = 'wire 1') =>
  ada.post(`/partners/${partnerId}/top-ups`, { amountCents, currency: 'USD', externalReference });

async function funded(amountCents = 10_000): Promise<PartnerBackend> {
  const partner = await service.partner({ mode: 'LIVE' });
  await topUp(partner.partnerId, amountCents);
  return partner;
}

/** Creates a reward and claims it. */
async function claimed(partner: PartnerBackend, email = 'customer@example.com') {
  const { rewardId } = await town.claimed(partner, { customer: { email } });
  await service.carriedOut(partner);
  return (await ada.get(`/rewards/${rewardId}`)).body;
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
    isUnlimited: false,
    fundingCents: 5_000,
    reservedCents: 0,
    owedCents: 0,
    awaitingRewards: 0,
    awaitingCents: 0,
    missingCents: 0,
  });
  const again = await topUp(partnerId, 5_000);
  t.is(again.status, 200);
  t.deepEqual(again.body, made.body);
  const other = await topUp(partnerId, 5_001);
  t.deepEqual([other.status, other.body.error.code], [409, 'CONFLICT']);
  t.deepEqual((await ada.get(`/partners/${partnerId}/wallet`)).body, made.body.wallet);
});

test('granting test funding returns the partner’s TEST wallet', async (t) => {
  const { partnerId } = await service.partner();
  const path = `/partners/${partnerId}/test-funding`;
  t.like((await ada.get(path)).body, { mode: 'TEST', isUnlimited: true, fundingCents: 0 });
  const funding = { amountCents: 1_000, externalReference: 'play money' };
  const made = await ada.post(path, funding);
  t.is(made.status, 201);
  t.like(made.body.wallet, { mode: 'TEST', partnerId, isUnlimited: false, fundingCents: 1_000 });
  t.is((await ada.post(path, funding)).status, 200);
  t.deepEqual((await ada.get(path)).body, made.body.wallet);
  t.is((await ada.post('/partners/prt_nobody/test-funding', funding)).status, 404);
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
    missingCents: rewardCents,
  });
  await topUp(partner.partnerId, 500);
  await eventually(async () => (await rewardOf()).funded, 'it is funded');
  t.like((await ada.get(`/partners/${partner.partnerId}/wallet`)).body, {
    fundingCents: 1,
    reservedCents: rewardCents,
    awaitingRewards: 0,
    awaitingCents: 0,
    missingCents: 0,
  });
});

test('a customer who claimed is found by their rewards, shown, and spends points', async (t) => {
  const partner = await funded();
  const { customerId, rewardId } = await claimed(partner);
  t.regex(customerId, /^cus_/);
  const { partnerId } = partner;
  const none = { heldPoints: 0, heldCents: 0 };
  const holds = { customerId, partnerId, points: 499, owedCents: 499, ...none };
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
