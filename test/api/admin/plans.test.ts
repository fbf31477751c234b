import test from 'ava';
import { largePlan, smallPlan } from '../../helpers/billing.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { auditOf, Operator } from './helpers/operator.ts';

let service: Service;
let ada: Operator;
test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
});
test.after.always(() => service?.stop());

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
