import test from 'ava';
import { createOperatorRouter } from '../../../api/admin/router.ts';
import type { ApiDeps } from '../../../api/deps.ts';
import { type Permission, type Role, roles } from '../../../domain/operators.ts';
import { newId } from '../../../platform/ids.ts';
import { createLogger } from '../../../platform/logger.ts';
import { anotherOperator, auditOf, Operator } from '../../helpers/operator.ts';
import { type Service, startService } from '../../helpers/service.ts';

let service: Service;
let ada: Operator;

interface Route {
  method: string;
  path: string;
  permission: Permission | undefined;
}

/** Every route of the operators' API, with the permission that it requires. */
function everyRoute(): Route[] {
  const deps: ApiDeps = {
    ...service,
    log: createLogger('test', service.config.log),
    now: Date.now,
  };
  return createOperatorRouter(deps).stack.flatMap(({ methods, path, stack }) =>
    methods
      .filter((method) => method !== 'HEAD')
      .map((method) => ({
        method,
        path: String(path).replace('/admin/v1', '').replace(/:\w+/g, 'unknown'),
        permission: stack
          .map((middleware) => (middleware as { permission?: Permission }).permission)
          .find((permission) => permission !== undefined),
      })),
  );
}

/** The routes that each role may use for writes (docs/operate/roles.md). Every role may read. */
const writes: Record<Role, RegExp> = {
  // Looking up a customer is a read, although it is a POST.
  viewer:
    /^(GET .*|POST .*\/customer-lookup|POST \/operators\/me\/tokens|DELETE \/operators\/me\/tokens\/unknown)$/,
  support:
    /^POST .*\/(decision|notes|questions|cancellation|reinstatement|contact|test-funding|test-clock|proposals\/unknown\/(approval|rejection))$/,
  finance:
    /^POST (.*\/(top-ups|withdrawals|corrections|payments|reversals|void|redemptions|subscription|change|cancel|publish|archive|proposals\/unknown\/(approval|rejection))|\/plans)$/,
  admin: /./,
};
/** Reads that only some roles may do. */
const restrictedReads: Partial<Record<string, readonly Role[]>> = {
  'GET /operators': ['admin'],
  'GET /operators/unknown': ['admin'],
  'GET /proposals/unknown': ['support', 'finance', 'admin'],
};

function isExpected(role: Role, method: string, path: string): boolean {
  const route = `${method} ${path}`;
  const readers = restrictedReads[route];
  if (readers) return readers.includes(role);
  return writes.viewer.test(route) || writes[role].test(route);
}

test('every route refuses a request with a missing or wrong token', async (t) => {
  const routes = everyRoute();
  t.true(routes.length >= 50);
  for (const { method, path } of routes) {
    const without = await fetch(service.adminUrl + path, { method });
    t.is(without.status, 401, `${method} ${path}`);
    t.is(
      ((await without.json()) as { error: { code: string } }).error.code,
      'AUTHENTICATION_MISSING',
    );
    const wrong = await new Operator(service, 'guess').send(method, path);
    t.is(wrong.status, 401, `${method} ${path}`);
    t.is(wrong.body.error.code, 'INVALID_ADMIN_TOKEN');
  }
});

test('every route requires a permission', (t) => {
  const open = everyRoute().filter(({ permission }) => permission === undefined);
  t.deepEqual(open, []);
});

for (const role of roles) {
  test(`${role} gets 403 from exactly the routes that it must not use`, async (t) => {
    const operator = await anotherOperator(service, role, role);
    for (const { method, path } of everyRoute()) {
      // Succeeds, and would fill the operator's two tokens.
      if (path === '/operators/me/tokens' && method === 'POST') continue;
      const { status, body } = await operator.send(method, path);
      const what = `${role} ${method} ${path}: ${status}`;
      if (isExpected(role, method, path)) t.not(status, 403, what);
      else t.deepEqual([status, body.error?.code], [403, 'FORBIDDEN'], what);
    }
  });
}

test('the operators’ API cannot be reached on the partners’ listener', async (t) => {
  for (const { method, path } of everyRoute()) {
    const headers = { authorization: `Bearer ${ada.token}` };
    const { status } = await fetch(`${service.baseUrl}/admin/v1${path}`, { method, headers });
    t.is(status, 404, `${method} ${path}`);
  }
  const { status } = await fetch(new URL('/api/v1/partner/plans', service.adminUrl));
  t.is(status, 404);
});

test('an unknown path is NOT_FOUND', async (t) => {
  const reply = await ada.get('/nothing');
  t.is(reply.status, 404);
  t.is(reply.body.error.code, 'NOT_FOUND');
});

test('an unknown field is refused and named', async (t) => {
  const reply = await ada.post('/partners', { name: 'Shop', colour: 'red' });
  t.is(reply.status, 400);
  t.is(reply.body.error.code, 'VALIDATION_FAILED');
  t.regex(reply.body.error.message, /colour/);
});

test('a value of the wrong type is refused, not converted', async (t) => {
  const reply = await ada.post('/partners', { name: 'Shop', goLiveMinimumFundingCents: '1' });
  t.is(reply.body.error?.code, 'VALIDATION_FAILED');
  t.regex(reply.body.error.message, /goLiveMinimumFundingCents/);
});

test('a body that is not JSON, or larger than 64 KiB, is refused', async (t) => {
  t.is((await ada.post('/partners', '{')).body.error.code, 'INVALID_JSON');
  const large = await ada.post('/partners', { name: 'x'.repeat(65 * 1024) });
  t.is(large.status, 413);
});

test('an unknown query parameter is refused and named', async (t) => {
  const reply = await ada.get('/rewards?ordr=A1');
  t.is(reply.body.error.code, 'VALIDATION_FAILED');
  t.regex(reply.body.error.message, /ordr/);
});

test('a list is paged by an opaque cursor and returns every item once, newest first', async (t) => {
  const { partnerId } = await ada.setUp();
  for (const name of ['app', 'till', 'kiosk'])
    await ada.post(`/partners/${partnerId}/integrations`, { name });
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await ada.get(`/partners/${partnerId}/integrations?limit=1${cursor}`);
    t.is(body.items.length, 1);
    seen.push(body.items[0].integrationId);
    cursor = body.nextCursor && `&cursor=${body.nextCursor}`;
  } while (cursor);
  t.is(new Set(seen).size, 4);
  t.deepEqual(seen, seen.toSorted().reverse());
});

test('a limit outside 1 to 100 and an invalid cursor are refused', async (t) => {
  for (const query of [
    'limit=0',
    'limit=101',
    'limit=1e1',
    'limit=1&limit=2',
    'cursor=!',
    'cursor=QQ',
  ]) {
    const reply = await ada.get(`/partners?${query}`);
    t.is(reply.body.error?.code, 'VALIDATION_FAILED', query);
  }
});

test.before(async () => {
  service = await startService();
  ada = new Operator(service, service.adminToken);
});

test.after.always(async () => {
  await service?.stop();
});

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
