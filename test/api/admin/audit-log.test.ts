import test from 'ava';
import { startAnotherAdminApi } from '../../helpers/another-api.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { auditOf, Operator } from './helpers/operator.ts';

let service: Service;
let ada: Operator;
test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
});
test.after.always(() => service?.stop());

const wire = { amountCents: 700, currency: 'USD', externalReference: 'wire 1' };

/** Asks an API whose books break as soon as they are written to. */
async function askBroken(t: { teardown(close: () => Promise<void>): void }) {
  const ledger = {
    ...service.ledger,
    of: () => {
      throw new Error('the process ends here');
    },
  };
  const api = await startAnotherAdminApi(service, { ledger });
  t.teardown(() => api.stop());
  return new Operator(api, ada.token);
}

test('an operation whose process ends in between leaves its intent, and a repeat completes that one', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const path = `/partners/${partnerId}/top-ups`;
  const broken = await (await askBroken(t)).post(path, wire);
  t.is(broken.status, 500);
  const [intent, ...others] = await auditOf(service, broken);
  t.deepEqual(others, []);
  t.like(intent, { action: 'partner.top-up', status: 'INTENDED', completedAt: null });

  t.is((await ada.post(path, wire)).status, 201);
  const entries = await service.models.auditEntries.find({ partnerId }).lean();
  t.is(entries.length, 1);
  t.like(entries[0], { _id: intent?._id, status: 'DONE' });
  t.truthy(entries[0]?.completedAt);
});

test('a refused operation is kept as failed, and a later attempt is one of its own', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const path = `/partners/${partnerId}/subscription`;
  const refused = await ada.post(path, { planVersionId: 'pln_none' });
  t.is(refused.status, 400);
  const [entry] = await auditOf(service, refused);
  t.like(entry, { status: 'FAILED', details: { code: 'VALIDATION_FAILED' } });
  t.truthy(entry?.completedAt);
});

test('twenty equal top-ups at once leave one entry', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  await Promise.all(
    Array.from({ length: 20 }, () => ada.post(`/partners/${partnerId}/top-ups`, wire)),
  );
  const entries = await service.models.auditEntries.find({ partnerId }).lean();
  t.deepEqual(
    entries.map(({ status }) => status),
    ['DONE'],
  );
});

test('an operator closes an operation that was left, once, and says what became of it', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const [intent] = await auditOf(
    service,
    await (await askBroken(t)).post(`/partners/${partnerId}/top-ups`, wire),
  );
  const left = (await ada.get(`/audit?partner=${partnerId}&status=INTENDED`)).body.items;
  t.is(left[0].auditEntryId, intent?._id);
  const path = `/audit/${intent?._id}/closure`;
  const closure = { status: 'FAILED', reason: 'the bank has no such transfer' };
  const closed = await ada.post(path, closure);
  t.like(closed.body, { status: 'FAILED', details: { closed: closure.reason } });
  t.like((await auditOf(service, closed))[0], { action: 'audit.close', targetId: intent?._id });
  t.is((await ada.post(path, closure)).status, 409);
  t.is((await ada.post('/audit/aud_none/closure', closure)).status, 404);
});

test('who reads a customer’s data leaves an entry', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  const customerId = 'cus_reader';
  const found = await ada.get(`/rewards?customer=${customerId}&partner=${partnerId}`);
  const [entry, ...others] = await auditOf(service, found);
  t.deepEqual(others, []);
  t.like(entry, { action: 'customer.read', targetId: customerId, partnerId, status: 'DONE' });
  t.deepEqual(await auditOf(service, await ada.get(`/rewards?partner=${partnerId}`)), []);
});

test('a cancellation leaves one operation, and who reads its reason leaves an entry', async (t) => {
  const partner = await service.partner();
  const { reward } = (await partner.purchase()).body;
  await service.rewardOf(reward.id);
  const { partnerId } = partner;
  const path = `/rewards/${reward.id}`;
  t.deepEqual(await auditOf(service, await ada.get(path)), []);
  const reason = { reason: 'Jane asked for it' };
  for (const _ of [1, 2]) t.is((await ada.post(`${path}/cancellation`, reason)).status, 200);
  const operations = await service.models.auditEntries.find({ partnerId }).lean();
  t.is(operations.length, 1);
  const named = { targetId: reward.id, partnerId, status: 'DONE' } as const;
  t.like(operations[0], { ...named, action: 'reward.cancel' });
  t.false(JSON.stringify(operations).includes('Jane'), 'the reason stays sealed');
  const [read, ...others] = await auditOf(service, await ada.get(path));
  t.deepEqual(others, []);
  t.like(read, { ...named, action: 'reward.read' });
});
