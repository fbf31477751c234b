import test from 'ava';
import { newId } from '../../../platform/ids.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { auditOf, Operator } from './helpers/operator.ts';

let service: Service;
let ada: Operator;
test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
});
test.after.always(() => service?.stop());

test('an operator closes an abandoned operation, once, and records its outcome', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const auditEntryId = newId('audit');
  await service.models.auditEntries.create({
    _id: auditEntryId,
    actorId: 'opr_1',
    action: 'partner.top-up',
    partnerId,
    details: {},
    status: 'INTENDED',
    requestId: 'req_1',
    at: new Date(),
  });
  const left = (await ada.get(`/audit?partner=${partnerId}&status=INTENDED`)).body.items;
  t.is(left[0].auditEntryId, auditEntryId);
  const path = `/audit/${auditEntryId}/closure`;
  const closure = { status: 'FAILED', reason: 'the bank has no such transfer' };
  const closed = await ada.post(path, closure);
  t.like(closed.body, { status: 'FAILED', details: { closed: closure.reason } });
  t.like((await auditOf(service, closed))[0], { action: 'audit.close', targetId: auditEntryId });
  t.is((await ada.post(path, closure)).status, 409);
  t.is((await ada.post('/audit/aud_none/closure', closure)).status, 404);
});

test('reading a customer’s data leaves an audit entry', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const customerId = `cus_${'r'.repeat(32)}`;
  const found = await ada.get(`/rewards?customer=${customerId}&partner=${partnerId}`);
  const [entry, ...others] = await auditOf(service, found);
  t.deepEqual(others, []);
  t.like(entry, { action: 'customer.read', targetId: customerId, partnerId, status: 'DONE' });
  t.deepEqual(await auditOf(service, await ada.get(`/rewards?partner=${partnerId}`)), []);
  for (const query of [
    'customer=bob@shop.example',
    `customer=${customerId}&partner=bob@shop.example`,
  ]) {
    const refused = await ada.get(`/rewards?${query}`);
    t.is(refused.status, 400);
    t.deepEqual(await auditOf(service, refused), []);
  }
});

test('a cancellation leaves one operation, and reading its reason leaves an audit entry', async (t) => {
  const partner = await service.partner();
  const { reward } = (await partner.purchase()).body;
  await service.rewardOf(reward.id);
  const { partnerId } = partner;
  const path = `/rewards/${reward.id}`;
  t.deepEqual(await auditOf(service, await ada.get(path)), []);
  const reason = { reason: 'Jane asked for it' };
  for (const _ of [1, 2]) t.is((await ada.post(`${path}/cancellation`, reason)).status, 200);
  const operations = await service.models.auditEntries.find({ partnerId });
  t.is(operations.length, 1);
  const named = { targetId: reward.id, partnerId, status: 'DONE' } as const;
  t.like(operations[0], { ...named, action: 'reward.cancel' });
  t.false(JSON.stringify(operations).includes('Jane'), 'the reason is only stored sealed');
  const [read, ...others] = await auditOf(service, await ada.get(path));
  t.deepEqual(others, []);
  t.like(read, { ...named, action: 'reward.read' });
});
