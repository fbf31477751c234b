import test from 'ava';
import { pino } from 'pino';
import type { UserDoc } from '../../models/schemas/people.ts';
import { createAccessToken } from '../../operations/account.ts';
import { removeUser } from '../../operations/users.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { type Town, townOf } from '../helpers/town.ts';
import { textOf } from './helpers/browser.ts';
import { unchangedPath } from './helpers/fixtures.ts';
import { aUser, password, signedIn } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let town: Town;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  town = townOf(service);
  portal = await startPortal(service);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

/** Sends a request with a bearer token, as a program does. */
async function ask(
  token: string,
  path: string,
  { method = 'GET', at = portal, ...init }: RequestInit & { at?: TestPortal } = {},
) {
  const headers = { authorization: `Bearer ${token}`, ...(init.headers as object) };
  const response = await fetch(at.url + path, { redirect: 'manual', ...init, method, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** An access token of the given user, or of a new one. */
async function tokenOf(
  partnerId: string,
  { role = 'developer' as UserDoc['role'], user }: { role?: UserDoc['role']; user?: UserDoc } = {},
) {
  const owner = user ?? (await aUser(portal, { partnerId, role }));
  const userId = owner._id;
  const fields = { partnerId, userId, name: 'a terminal', days: 7 };
  return { ...(await operate(portal.deps, createAccessToken, fields)), user: owner };
}

/** A funded reward. @returns its id */
const bought = async (shop: PartnerBackend) => (await town.funded(shop)).rewardId;

const stateOf = async (rewardId: string) => (await service.rewardOf(rewardId)).state;

test('a token is created with the second factor, shown once, stored as a hash, listed and revoked', async (t) => {
  const { models } = service;
  const { partnerId } = await service.partner();
  const user = await aUser(portal, { partnerId, role: 'viewer' });
  const path = '/account/access-tokens/new';
  const weak = await signedIn(portal, user, { isStrong: false });
  t.is((await weak.ask('GET', path)).status, 303);

  const browser = await signedIn(portal, user);
  await browser.open(path);
  t.regex(textOf((await browser.submit(path, { days: '30' })).html), /Enter a name/);
  t.is((await browser.post(path, { name: 'x', days: '36500' })).status, 422);
  await browser.open(path);
  const made = await browser.submit(path, { name: 'my <laptop>', days: '30' });
  t.is(made.path, '/revealed', 'reloading the page creates no second token');
  const { html } = made;
  const token = /pat_[\w-]{43}/.exec(html)?.[0] ?? '';
  const stored = await models.accessTokens.findOne({ userId: user._id }).orFail();
  t.is(stored.tokenHash, sha256Hex(token));
  t.false(JSON.stringify(stored).includes(token));
  t.is(Math.round((+stored.expiresAt - +stored.createdAt) / 86_400_000), 30);

  t.is((await ask(token, '/events')).status, 200);
  const listed = await browser.open('/account');
  t.regex(textOf(listed.html), /my <laptop>/);
  t.false(listed.html.includes(token));
  t.false(listed.html.includes('<laptop>'));
  t.truthy((await models.accessTokens.findById(stored._id))?.lastUsedFrom);

  const shown = await browser.submit(`/account/access-tokens/${stored._id}/revoke`);
  t.regex(textOf(shown.html), /revoked/);
  t.is((await ask(token, '/events')).status, 401);
  const entries = await models.auditEntries
    .find({ actorId: user._id, targetId: stored._id })
    .sort({ _id: 1 });
  t.deepEqual(
    entries.map(({ action, status }) => [action, status]),
    [
      ['own-access-token.create', 'DONE'],
      ['own-access-token.revoke', 'DONE'],
    ],
  );
  t.false(JSON.stringify(entries).includes(token));
});

test('a user has at most ten tokens', async (t) => {
  const { partnerId } = await service.partner();
  const { user } = await tokenOf(partnerId);
  for (let count = 1; count < 10; count++) await tokenOf(partnerId, { user });
  await t.throwsAsync(tokenOf(partnerId, { user }), { message: /10 access tokens already/ });
  const another = await aUser(portal, { partnerId });
  await Promise.allSettled(Array.from({ length: 14 }, () => tokenOf(partnerId, { user: another })));
  const held = await service.models.accessTokens.countDocuments({ userId: another._id });
  t.is(held, 10, 'the limit applies to concurrent requests, too');
});

test('any invalid token is 401 with the same message', async (t) => {
  const { partnerId } = await service.partner();
  const good = async () => {
    const made = await tokenOf(partnerId);
    t.is((await ask(made.token, '/events')).status, 200);
    return made;
  };
  const expired = await good();
  await service.models.accessTokens.updateOne(
    { _id: expired.accessToken._id },
    { $set: { expiresAt: new Date(Date.now() - 1) } },
  );
  const changed = await good();
  const browser = await signedIn(portal, changed.user);
  await browser.open('/account');
  const newPassword = 'another horse battery';
  await browser.submit('/account/password', { currentPassword: password, newPassword });
  const answers = await Promise.all(
    [expired.token, changed.token, 'pat_', `pat_${'a'.repeat(43)}`, 'x', '$ne'].map((token) =>
      ask(token, '/events'),
    ),
  );
  for (const { status, body, headers } of answers) {
    t.is(status, 401);
    t.is(headers.get('www-authenticate'), 'Bearer');
    t.deepEqual(body, answers[0]?.body);
    t.is(body.error.code, 'INVALID_ACCESS_TOKEN');
  }
});

test('a removed user’s token ends with them', async (t) => {
  const { partnerId } = await service.partner();
  await aUser(portal, { partnerId, role: 'owner' });
  const { token, user } = await tokenOf(partnerId);
  await operate(portal.deps, removeUser, { partnerId, userId: user._id });
  t.is((await ask(token, '/events')).status, 401);
  t.is(await service.models.accessTokens.countDocuments({ userId: user._id }), 0);
});

test('the log contains the partner’s own requests, with the filters of its page, and links in both directions', async (t) => {
  const shop = await service.partner();
  const other = await service.partner();
  const { token } = await tokenOf(shop.partnerId, { role: 'viewer' });
  const orders = ['first', 'second', 'third'];
  for (const externalOrderId of orders) await shop.purchase(aPurchase({ externalOrderId }));
  await other.purchase(aPurchase({ externalOrderId: 'not yours' }));
  await shop.purchase({});
  await service.flushed();

  const all = await ask(token, '/events');
  t.is(all.body.events.length, 4);
  t.false(all.text.includes('not yours') || all.text.includes(other.partnerId));
  const [newest] = all.body.events;
  t.like(newest, { status: 400, code: 'VALIDATION_FAILED', mode: 'TEST', count: 1 });
  t.deepEqual(Object.keys(newest).toSorted(), [
    ...['code', 'count', 'credentialId', 'eventId', 'externalOrderId', 'id', 'integrationId'],
    ...['method', 'mode', 'path', 'receivedAt', 'requestId', 'status', 'type'],
  ]);
  const ordersOf = (body: { events: { externalOrderId: string }[] }) =>
    body.events.map(({ externalOrderId }) => externalOrderId);
  t.deepEqual(ordersOf((await ask(token, '/events?order=second')).body), ['second']);
  t.deepEqual(ordersOf((await ask(token, '/events?code=ACCEPTED')).body), orders.toReversed());
  t.deepEqual((await ask(token, '/events?mode=LIVE')).body.events, []);

  const back = await ask(token, '/events?limit=2');
  const rest = await ask(token, `/events?limit=2&older=${back.body.next}`);
  t.deepEqual([...back.body.events, ...rest.body.events], all.body.events);
  t.is(rest.body.next, rest.body.events.at(-1).id);
  t.deepEqual((await ask(token, `/events?older=${rest.body.next}`)).body.events, []);
  const oldest = all.body.events.at(-1);
  const forth = await ask(token, `/events?newer=${oldest.id}`);
  t.deepEqual(forth.body.events, all.body.events.slice(0, 3).toReversed());
  t.is(forth.body.next, null);

  for (const query of ['limit=0', 'limit=501', 'mode=x', 'newer=evt_1', 'from=x', 'unknown=1']) {
    const { status, body } = await ask(token, `/events?${query}`);
    t.deepEqual([status, body.error.code], [400, 'VALIDATION_FAILED'], query);
    t.regex(body.error.message, new RegExp(query.split('=')[0] ?? ''), query);
  }
});

test('a token of a user with the permission claims and expires with the test clock, for their partner and TEST only', async (t) => {
  const shop = await service.partner();
  const live = await service.partner({ mode: 'LIVE', fundingCents: 10_000 });
  const { token, user } = await tokenOf(shop.partnerId);
  const claimed = await bought(shop);
  const post = { method: 'POST' };
  const answer = await ask(token, `/orders/${claimed}/claim`, post);
  t.like(answer.body, {
    success: true,
    mode: 'TEST',
    reward: { id: claimed, status: 'AVAILABLE' },
  });
  t.is(await stateOf(claimed), 'AVAILABLE');
  const again = await ask(token, `/orders/${claimed}/expire`, post);
  t.deepEqual([again.status, again.body.error.code], [409, 'CONFLICT']);
  const expired = await bought(shop);
  t.is((await ask(token, `/orders/${expired}/expire`, post)).status, 200);
  t.is(await stateOf(expired), 'EXPIRED');
  const entry = await service.models.auditEntries.findOne({ targetId: expired });
  t.like(entry, { action: 'test-clock.expire', actorId: user._id, status: 'DONE' });

  const viewer = await tokenOf(shop.partnerId, { role: 'viewer' });
  const theirs = await bought(await service.partner());
  const liveOnes = await tokenOf(live.partnerId, { role: 'owner' });
  const real = await bought(live);
  const open = await bought(shop);
  for (const [by, rewardId, status] of [
    [viewer.token, open, 403],
    [token, theirs, 404],
    [liveOnes.token, real, 404],
    [token, 'PNR_x', 404],
  ] as const) {
    for (const move of ['claim', 'expire']) {
      const refused = await ask(by, `/orders/${rewardId}/${move}`, post);
      t.is(refused.status, status, rewardId);
      if (status === 404) t.regex(refused.body.error.message, /There is no such TEST reward/);
    }
  }
  for (const rewardId of [theirs, real, open]) t.is(await stateOf(rewardId), 'FUNDED');
});

test('a token opens nothing else, whatever its user’s permissions or cookies', async (t) => {
  const { partnerId } = await service.partner();
  const { token, user } = await tokenOf(partnerId, { role: 'owner' });
  const { cookies } = await signedIn(portal, user);
  const headers = { cookie: `session=${cookies.get('session')}` };
  const theirs = [
    'GET /events',
    'GET /rewards',
    'POST /orders/:rewardId/mature',
    'POST /orders/:rewardId/claim',
    'POST /orders/:rewardId/expire',
    'POST /orders/:rewardId/end-points',
  ];
  const theirPaths = theirs.map((route) => route.split(' ')[1]);
  for (const { method, path } of portal.table) {
    const send = (by: string) => ask(token, path.replace(/:\w+/g, 'x'), { method: by, headers });
    // No route accepts PUT, and a known path refuses it before it looks at the id.
    const { status, body } = await send('PUT');
    t.is(status, theirPaths.includes(path) ? 405 : 404, path);
    t.is(typeof body?.error.message, 'string');
    const isOpen = theirs.includes(`${method} ${path}`);
    if (!isOpen) t.true([404, 405].includes((await send(method)).status), `${method} ${path}`);
  }
  t.is((await ask('nobody', '/events', { headers })).status, 401);
});

test('a token manages its partner’s TEST webhook endpoints, as far as its user’s role does', async (t) => {
  const { models } = service;
  const { partnerId } = await service.partner();
  const { token, user } = await tokenOf(partnerId);
  const at = '/webhooks/endpoints';
  const send = (by: string, method: string, path: string, body?: object) =>
    ask(by, path, { method, ...(body && { body: JSON.stringify(body) }) });
  const made = await send(token, 'POST', at, { mode: 'TEST', url: 'http://127.0.0.1:1/hook' });
  t.is(made.status, 201, made.text);
  t.regex(made.body.secret, /^whsec_/);
  const { id } = made.body.endpoint;
  t.like(await models.auditEntries.findOne({ targetId: id }), {
    action: 'webhook-endpoint.create',
    actorId: user._id,
    status: 'DONE',
  });
  const paused = await send(token, 'PATCH', `${at}/${id}`, { status: 'PAUSED' });
  t.is(paused.body.endpoint.status, 'PAUSED');
  t.false(paused.text.includes('whsec_'));

  const viewer = await tokenOf(partnerId, { role: 'viewer' });
  const stranger = await tokenOf((await service.partner()).partnerId, { role: 'owner' });
  t.is((await ask(viewer.token, at)).body.endpoints[0].id, id);
  t.is((await ask(viewer.token, `${at}?mode=LIVE`)).body.endpoints.length, 0);
  t.deepEqual((await ask(stranger.token, at)).body.endpoints, []);
  for (const [by, status] of [
    [viewer.token, 403],
    [stranger.token, 404],
  ] as const) {
    for (const [method, path, body] of [
      ['PATCH', '', { status: 'ACTIVE' }],
      ['DELETE', '', undefined],
      ['POST', '/secrets', undefined],
      ['POST', '/test', undefined],
      ['POST', '/resend', { from: '2026-01-01T00:00:00Z' }],
    ] as const) {
      const refused = await send(by, method, `${at}/${id}${path}`, body);
      t.is(refused.status, status, `${method} ${path}: ${refused.text}`);
    }
  }
  t.is((await ask(stranger.token, `${at}/${id}/deliveries`)).status, 404);
  const owner = await tokenOf(partnerId, { role: 'owner' });
  const live = await send(owner.token, 'POST', at, { mode: 'LIVE', url: 'https://shop.example/' });
  t.deepEqual([live.status, live.body.error.code], [403, 'FORBIDDEN']);
  t.regex(live.body.error.message, /second factor/);
  t.is((await send(token, 'POST', at, { mode: 'TEST', url: 'ftp://shop' })).status, 400);
  t.is((await send(token, 'POST', at, ['x'])).status, 400);
  t.is((await send(token, 'DELETE', `${at}/${id}`)).status, 200);
  t.is((await ask(token, `${at}/${id}`)).status, 404);
});

test('without a token the log is a page, whatever is requested', async (t) => {
  const { partnerId } = await service.partner();
  const browser = await signedIn(portal, await aUser(portal, { partnerId }));
  const { headers } = await browser.open('/events', { accept: 'application/json' });
  t.regex(headers.get('content-type') ?? '', /^text\/html/);
});

test('the access log names the caller, without the token', async (t) => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  const logging = await startPortal(service, { log });
  t.teardown(() => logging.stop());
  const { partnerId } = await service.partner();
  const { token, user } = await tokenOf(partnerId);
  await ask(token, '/events', { at: logging });
  await eventually(async () => lines.length > 0, 'the request is logged');
  t.like(JSON.parse(lines[0] ?? ''), {
    actorId: user._id,
    partnerId,
    route: '/events',
    status: 200,
  });
  t.false(lines.join('').includes(token.slice(4)));
});

test('programs are rate-limited, and so are guesses of tokens', async (t) => {
  const limits = { programs: 3, unknownTokens: 2 };
  const slow = await startPortal(service, {}, limits);
  t.teardown(() => slow.stop());
  const { partnerId } = await service.partner();
  const { token } = await tokenOf(partnerId);
  const statuses = async (shown: string, times: number) => {
    const seen: number[] = [];
    for (let count = 0; count < times; count++) {
      seen.push((await ask(shown, '/events', { at: slow })).status);
    }
    return seen;
  };
  t.deepEqual(await statuses(token, 4), [200, 200, 200, 429]);
  t.deepEqual(await statuses(`pat_${'b'.repeat(43)}`, 3), [401, 401, 429]);
  const { headers } = await ask(token, '/events', { at: slow });
  t.regex(headers.get('retry-after') ?? '', /^\d+$/);
});

test('a listening terminal does not affect an endpoint’s deliveries', async (t) => {
  const { models } = service;
  const { partnerId } = await service.partner();
  const { token } = await tokenOf(partnerId);
  const params = { delivery: 'liveWebhookDelivery' } as const;
  const owner = { partnerId, mark: 'Own' };
  const deliveryId = await unchangedPath(portal, { path: ':delivery', params, mode: null }, owner);
  const delivery = { _id: deliveryId, state: 'PENDING' } as const;
  await models.webhookDeliveries.updateOne({ _id: deliveryId }, { $set: delivery });
  const { endpointId } = await models.webhookDeliveries.findOne(delivery).orFail();
  const answered = { deliveryId, status: 204, error: null, answer: '', durationMs: 1 };
  for (const [action, body] of Object.entries({ take: {}, forwarded: answered, end: {} })) {
    const request = { method: 'POST', body: JSON.stringify(body) };
    const { status } = await ask(token, `/webhooks/listeners/${endpointId}/${action}`, request);
    t.is(status, 404, action);
  }
  t.truthy(await models.webhookDeliveries.exists(delivery));
});
