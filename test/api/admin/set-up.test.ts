import test from 'ava';
import { eventually } from '../../helpers/eventually.ts';
import { makeLive } from '../../helpers/live-partner.ts';
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

async function aCredential(changes: Record<string, unknown> = {}, live = false) {
  const { partnerId, integrationId } = await ada.setUp();
  if (live) await makeLive(service.models, partnerId);
  const reply = await ada.post(`/partners/${partnerId}/credentials`, {
    integrationId,
    mode: 'TEST',
    scopes: ['events:write', 'events:read'],
    ...changes,
  });
  return { partnerId, integrationId, reply, credentialId: reply.body.credential?.credentialId };
}

test('a partner is made, listed, shown and changed, and each write leaves its audit entry', async (t) => {
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

test('a partner that is not there is NOT_FOUND, wherever it is named', async (t) => {
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

test('nobody makes a partner live by hand', async (t) => {
  const { partnerId } = await ada.setUp();
  for (const fields of [{ live: true }, { goLive: { state: 'LIVE' } }, { goLiveState: 'LIVE' }]) {
    for (const reply of [
      await ada.post('/partners', { name: 'Shop', ...fields }),
      await ada.patch(`/partners/${partnerId}`, fields),
    ]) {
      t.is(reply.body.error?.code, 'VALIDATION_FAILED', JSON.stringify(fields));
    }
  }
  t.is((await ada.get(`/partners/${partnerId}`)).body.goLiveState, 'SANDBOX');
});

test('an empty change is refused', async (t) => {
  const { partnerId } = await ada.setUp();
  t.is((await ada.patch(`/partners/${partnerId}`, {})).body.error.code, 'VALIDATION_FAILED');
});

test('an integration is made and listed', async (t) => {
  const { partnerId } = await ada.setUp();
  const made = await ada.post(`/partners/${partnerId}/integrations`, { name: 'till' });
  t.is(made.status, 201);
  const [entry] = await auditOf(service, made);
  t.like(entry, { action: 'integration.create', targetId: made.body.integrationId, partnerId });
  const { items } = (await ada.get(`/partners/${partnerId}/integrations`)).body;
  t.deepEqual(items.map(({ name }: { name: string }) => name).toSorted(), ['till', 'web shop']);
});

test('a secret is shown once, and is never stored, listed or audited in clear', async (t) => {
  const { partnerId, reply, credentialId } = await aCredential();
  t.is(reply.status, 201);
  t.regex(reply.body.credential.apiKey, /^pk_test_[\w-]{43}$/);
  t.regex(reply.body.secret, /^sk_test_[\w-]{43}$/);
  t.is(reply.headers.get('cache-control'), 'no-store');
  const [entry] = await auditOf(service, reply);
  t.like(entry, { action: 'credential.create', targetId: credentialId, partnerId });
  const rotated = await ada.post(`/credentials/${credentialId}/secrets`);

  const collections = await Promise.all(
    Object.values(service.models.connection.collections).map((found) => found.find({}).toArray()),
  );
  const lists = await Promise.all(
    ['/audit', `/partners/${partnerId}/credentials`].map((path) => ada.get(path)),
  );
  const everything = JSON.stringify(collections) + lists.map(({ text }) => text).join();
  for (const { body } of [reply, rotated]) t.false(everything.includes(body.secret));

  const [listed] = lists[1]?.body.items ?? [];
  t.is(listed.secrets.length, 2);
  t.deepEqual(Object.keys(listed.secrets[0]).toSorted(), [
    'createdAt',
    'lastUsedAt',
    'revokedAt',
    'secretId',
  ]);
});

test('two secrets sign at a time, a third is a conflict, and a revoked one stops within seconds', async (t) => {
  const { partnerId, integrationId, reply, credentialId } = await aCredential();
  const rule = await ada.post(`/partners/${partnerId}/earning-rules`, perAmount);
  await ada.post(`/earning-rules/${rule.body.ruleId}/activate`);
  const backend = (secret: string) =>
    Object.assign(
      new PartnerBackend({
        baseUrl: service.baseUrl,
        partnerId,
        integrationId,
        mode: 'TEST',
        scopes: [],
      }),
      { key: reply.body.credential.apiKey, secret },
    );
  const first = backend(reply.body.secret);
  const reward = await first.purchase();
  t.is(reward.status, 201);
  t.is(reward.body.reward.points, 499);

  const rotated = await ada.post(`/credentials/${credentialId}/secrets`);
  t.is(rotated.status, 201);
  const [entry] = await auditOf(service, rotated);
  t.like(entry, { action: 'credential.rotate', details: { secretId: rotated.body.secretId } });
  const second = backend(rotated.body.secret);
  await eventually(async () => (await second.purchase()).status === 201, 'the new secret signs');
  t.is((await first.purchase()).status, 201);

  const third = await ada.post(`/credentials/${credentialId}/secrets`);
  t.is(third.status, 409);
  t.is(third.body.error.code, 'CONFLICT');
  t.regex(third.body.error.message, /Revoke one first/);
  t.like((await auditOf(service, third))[0], { status: 'FAILED', details: { code: 'CONFLICT' } });

  const path = `/credentials/${credentialId}/secrets/${reply.body.secretId}`;
  const revoked = await ada.delete(path);
  t.is(revoked.status, 200);
  const again = await ada.delete(path);
  t.deepEqual(again.body.secrets[0].revokedAt, revoked.body.secrets[0].revokedAt);
  const [revocation] = await auditOf(service, revoked);
  t.like(revocation, {
    action: 'credential.revoke-secret',
    details: { secretId: reply.body.secretId },
  });
  const refused = await eventually(async () => {
    const answer = await first.purchase();
    return answer.status !== 201 && answer;
  }, 'the old secret stops');
  t.is(refused.body.error.code, 'INVALID_SIGNATURE');
  t.is((await second.purchase()).status, 201);

  const used = await eventually(async () => {
    const { items } = (await ada.get(`/partners/${partnerId}/credentials`)).body;
    return (
      items[0].secrets.every(({ lastUsedAt }: { lastUsedAt: string | null }) => lastUsedAt) &&
      items[0]
    );
  }, 'each secret shows when it was last used');
  t.is(used.secrets.length, 2);
});

test('a revoked credential stops within seconds; revoking it again keeps the first time', async (t) => {
  const { reply, credentialId, partnerId, integrationId } = await aCredential();
  const backend = Object.assign(
    new PartnerBackend({
      baseUrl: service.baseUrl,
      partnerId,
      integrationId,
      mode: 'TEST',
      scopes: [],
    }),
    { key: reply.body.credential.apiKey, secret: reply.body.secret },
  );
  t.is((await backend.purchase()).body.error.code, 'NO_ACTIVE_EARNING_RULE');
  const revoked = await ada.delete(`/credentials/${credentialId}`);
  t.truthy(revoked.body.revokedAt);
  t.is((await ada.delete(`/credentials/${credentialId}`)).body.revokedAt, revoked.body.revokedAt);
  const [entry] = await auditOf(service, revoked);
  t.like(entry, { action: 'credential.revoke', targetId: credentialId });
  const code = async () => (await backend.purchase(aPurchase())).body.error.code;
  t.true(await eventually(async () => (await code()) === 'INVALID_API_KEY', 'the key stops'));
  t.is((await ada.post(`/credentials/${credentialId}/secrets`)).body.error.code, 'CONFLICT');
});

test('LIVE credentials are made only for a live partner', async (t) => {
  const refused = await aCredential({ mode: 'LIVE' });
  t.is(refused.reply.status, 409);
  t.is(refused.reply.body.error.code, 'CONFLICT');
  t.regex(refused.reply.body.error.message, /not live/);
  const made = await aCredential({ mode: 'LIVE' }, true);
  t.is(made.reply.status, 201);
  t.regex(made.reply.body.credential.apiKey, /^pk_live_/);
});

test('a credential needs an integration of the partner, and scopes that exist', async (t) => {
  const other = await ada.setUp();
  const wrong = [
    { integrationId: other.integrationId },
    { scopes: [] },
    { scopes: ['events:all'] },
    { mode: 'BOTH' },
  ];
  for (const changes of wrong) {
    const { reply } = await aCredential(changes);
    t.is(reply.body.error?.code, 'VALIDATION_FAILED', JSON.stringify(changes));
  }
});

test('an unknown credential or secret is NOT_FOUND', async (t) => {
  const { credentialId } = await aCredential();
  t.is((await ada.post('/credentials/key_none/secrets')).status, 404);
  t.is((await ada.delete('/credentials/key_none')).status, 404);
  t.is((await ada.delete(`/credentials/${credentialId}/secrets/sec_none`)).status, 404);
});

test('a rule version is stored with its defaults, earns nothing until activated, and shows as active then', async (t) => {
  const { partnerId } = await ada.setUp();
  const made = await ada.post(`/partners/${partnerId}/earning-rules`, perAmount);
  t.is(made.status, 201);
  t.like(made.body, {
    ...perAmount,
    active: false,
    integrationId: null,
    minimumOrderCents: 0,
    multiplier: 1,
    campaign: null,
    capPerOrderPoints: null,
    capPerCustomerDayPoints: null,
    claimWindow: 'P30D',
    pointValueMicros: 10_000,
  });
  const { ruleId } = made.body;
  const [created] = await auditOf(service, made);
  t.like(created, { action: 'earning-rule.create', targetId: ruleId, partnerId });

  const isActive = async () => {
    const { items } = (await ada.get(`/partners/${partnerId}/earning-rules`)).body;
    return items.find((rule: { ruleId: string }) => rule.ruleId === ruleId).active;
  };
  t.false(await isActive());
  for (const [how, active, changed] of [
    ['activate', true, true],
    ['activate', true, false],
    ['deactivate', false, true],
    ['deactivate', false, false],
  ] as const) {
    const reply = await ada.post(`/earning-rules/${ruleId}/${how}`);
    t.is(reply.status, 200);
    t.is(reply.body.active, active);
    t.is(await isActive(), active);
    const [entry] = await auditOf(service, reply);
    t.like(entry, { action: `earning-rule.${how}`, targetId: ruleId, details: { changed } });
  }
});

test('activating a rule takes the place of the one before it', async (t) => {
  const { partnerId } = await ada.setUp();
  const path = `/partners/${partnerId}/earning-rules`;
  for (const points of [10, 20]) {
    const { body } = await ada.post(path, { ...perAmount, points });
    await ada.post(`/earning-rules/${body.ruleId}/activate`);
  }
  const { items } = (await ada.get(path)).body;
  const active = items.filter((rule: { active: boolean }) => rule.active);
  t.deepEqual(
    active.map(({ points }: { points: number }) => points),
    [20],
  );
});

test('a fixed rule has no unit, and is not shown with one', async (t) => {
  const { partnerId } = await ada.setUp();
  const path = `/partners/${partnerId}/earning-rules`;
  const { unitCents: _, ...fixed } = { ...perAmount, kind: 'FIXED' };
  t.false('unitCents' in (await ada.post(path, fixed)).body);
  t.is((await ada.post(path, { ...fixed, unitCents: 100 })).body.error.code, 'VALIDATION_FAILED');
  t.is(
    (await ada.post(path, { ...fixed, kind: 'PER_AMOUNT' })).body.error.code,
    'VALIDATION_FAILED',
  );
});

const day = { startsAt: '2030-01-01T00:00:00Z', endsAt: '2030-01-02T00:00:00+01:00' };
for (const [field, value] of [
  ['points', 100_001],
  ['points', 1.5],
  ['unitCents', 0],
  ['minimumOrderCents', -1],
  ['multiplier', 101],
  ['capPerOrderPoints', 1_000_000_001],
  ['capPerCustomerDayPoints', -1],
  ['pointValueMicros', 1_000_000_001],
  ['claimWindow', 'a month'],
  ['claimWindow', 'PT0S'],
  ['claimWindow', 'P11Y'],
  ['currency', 'usd'],
  ['integrationId', 'int_none'],
  ['campaign', { ...day, endsAt: day.startsAt }],
  ['campaign', { ...day, startsAt: '2030-01-01T00:00:00' }],
  ['campaign', { ...day, endsAt: '2030-02-30T00:00:00Z' }],
  ['campaign', { startsAt: day.startsAt }],
] as const) {
  test(`a rule is not stored with ${field} ${JSON.stringify(value)}`, async (t) => {
    const { partnerId } = await ada.setUp();
    const path = `/partners/${partnerId}/earning-rules`;
    const reply = await ada.post(path, { ...perAmount, [field]: value });
    t.is(reply.status, 400);
    t.is(reply.body.error.code, 'VALIDATION_FAILED');
    t.true(reply.body.error.message.includes(field));
    t.deepEqual((await ada.get(path)).body.items, []);
  });
}

test('a campaign with timezones and windows of seconds are stored', async (t) => {
  const { partnerId } = await ada.setUp();
  const fields = { campaign: day, multiplier: 3, claimWindow: 'PT5S' };
  const reply = await ada.post(`/partners/${partnerId}/earning-rules`, { ...perAmount, ...fields });
  t.is(reply.status, 201);
  t.like(reply.body, fields);
});

test('the audit trail lists who did what, newest first, and for one partner', async (t) => {
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
