import test from 'ava';
import { eventually } from '../../helpers/eventually.ts';
import { aPurchase, PartnerBackend } from '../../helpers/partner-backend.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { auditOf, Operator } from './helpers/operator.ts';

let service: Service;
let ada: Operator;
test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
});
test.after.always(() => service?.stop());

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
    country: 'US',
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
  const shown = ['createdAt', 'lastUsedAt', 'revokedAt', 'secretId'];
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
