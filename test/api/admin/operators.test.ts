import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { Role } from '../../../domain/operators.ts';
import { tokenDays } from '../../../operations/operator-tokens.ts';
import { createOperatorUser } from '../../../operations/operators.ts';
import { loadConfig } from '../../../platform/config.ts';
import { startAnotherAdminApi } from '../../helpers/another-api.ts';
import { eventually } from '../../helpers/eventually.ts';
import { anotherOperator as addOperator, auditOf, Operator } from '../../helpers/operator.ts';
import { type Service, startService } from '../../helpers/service.ts';

const dayMs = 24 * 3_600_000;
let service: Service;
let api: Awaited<ReturnType<typeof startAnotherAdminApi>>;
let clockOffsetMs = 0;
let ada: Operator;
test.before(async () => {
  service = await startService();
  api = await startAnotherAdminApi(service, { now: () => Date.now() + clockOffsetMs });
  ada = new Operator(api, service.adminToken);
});
test.after.always(async () => {
  await api?.stop();
  await service?.stop();
});

const anotherOperator = async (name: string, role: Role) =>
  new Operator(api, (await addOperator(service, name, role)).token);
const address = () => `${randomUUID()}@operators.example`;

test('an operator is created with a role and an address, and creates tokens of their own that expire', async (t) => {
  const email = address();
  const made = await ada.post('/operators', { name: 'Bob', role: 'support', email });
  t.is(made.status, 201);
  t.like(made.body, { name: 'Bob', role: 'support', tokens: [], revokedAt: null });
  t.regex(made.body.introductions[0].by, /^opr_/);
  t.is((await ada.post('/operators', { name: 'Bob', role: 'support' })).status, 400);
  const [entry] = await auditOf(service, made);
  t.like(entry, {
    action: 'operator.create',
    targetId: made.body.operatorId,
    details: { name: 'Bob', role: 'support' },
  });

  const lin = await anotherOperator('Lin', 'support');
  const rotated = await lin.post('/operators/me/tokens');
  t.is(rotated.headers.get('cache-control'), 'no-store');
  const { operator, token, tokenId } = rotated.body;
  const shown = operator.tokens.find((one: { tokenId: string }) => one.tokenId === tokenId);
  t.like(shown, { lastUsedAt: null, lastUsedFrom: null, revokedAt: null });
  t.is(Date.parse(shown.expiresAt) - Date.parse(shown.createdAt), tokenDays * dayMs);
  t.is((await ada.post(`/operators/${operator.operatorId}/tokens`)).status, 404);
  const lists = await Promise.all([ada.get('/operators'), ada.get('/audit')]);
  for (const { text } of lists) t.false(text.includes(token));
});

test.serial('an expired token is refused', async (t) => {
  const old = await anotherOperator('Old', 'viewer');
  clockOffsetMs = tokenDays * dayMs - 60_000;
  t.is((await old.get('/partners')).status, 200);
  clockOffsetMs = tokenDays * dayMs + 60_000;
  const reply = await old.get('/partners');
  clockOffsetMs = 0;
  t.is(reply.status, 401);
  t.is(reply.body.error.code, 'INVALID_ADMIN_TOKEN');
  t.regex(reply.body.error.message, /expired/);
});

test('where the identity provider decides, a token waits until its operator signs in there again', async (t) => {
  const { models, env } = service;
  const config = loadConfig({
    ...env,
    OIDC_ISSUER: 'https://id.example',
    OIDC_CLIENT_ID: 'portal',
    OIDC_CLIENT_SECRET: 'a client secret',
    OIDC_GROUPS: 'desk=support',
    OIDC_SIGN_IN_HOURS: '1',
  });
  const decided = await startAnotherAdminApi(service, { config });
  t.teardown(decided.stop);
  const { token } = await addOperator(service, 'Sso', 'support');
  const sso = new Operator(decided, token);
  t.is((await sso.get('/partners')).status, 200, 'without an account, nobody signs in');
  const operator = await models.operators.findOne({ name: 'Sso' }).orFail();
  const { _id } = await createOperatorUser({ models, now: Date.now }, operator, {
    email: address(),
  });
  const admitted = (minutesAgo: number) =>
    models.users.updateOne({ _id }, { admittedAt: new Date(Date.now() - minutesAgo * 60_000) });
  await admitted(59);
  t.is((await sso.get('/partners')).status, 200);
  await admitted(61);
  const refused = await sso.get('/partners');
  t.is(refused.status, 401);
  t.regex(refused.body.error.message, /Sign in to the portal again/);
  t.is((await sso.post('/operators/me/tokens')).status, 401);
});

test.serial('a token shows when and from where it was last used, to the minute', async (t) => {
  const used = await anotherOperator('Used', 'viewer');
  const stored = await service.models.operators.findOne({ name: 'Used' }).orFail();
  const operatorId = stored._id;
  const token = async () => (await ada.get(`/operators/${operatorId}`)).body.tokens[0];
  t.is((await token()).lastUsedAt, null);
  await used.get('/partners');
  await eventually(async () => (await token()).lastUsedAt, 'the use is recorded');
  const first = await token();
  t.regex(first.lastUsedFrom, /127\.0\.0\.1$/);

  clockOffsetMs = 30_000;
  await used.get('/partners');
  clockOffsetMs = 61_000;
  await used.get('/partners');
  const later = await eventually(async () => {
    const now = await token();
    return now.lastUsedAt === first.lastUsedAt ? undefined : now;
  }, 'the next use is recorded');
  clockOffsetMs = 0;
  t.true(Date.parse(later.lastUsedAt) - Date.parse(first.lastUsedAt) >= 60_000);
});

test('an operator switches to a new token: both work until the old one is revoked', async (t) => {
  const bob = await anotherOperator('Bob', 'viewer');
  const rotated = await bob.post('/operators/me/tokens');
  t.is(rotated.status, 201);
  t.is(rotated.headers.get('cache-control'), 'no-store');
  const renewed = new Operator(service, rotated.body.token);
  t.is((await bob.post('/operators/me/tokens')).body.error.code, 'CONFLICT');
  const [old] = (await renewed.get('/operators/me')).body.tokens;
  t.is((await renewed.delete(`/operators/me/tokens/${old.tokenId}`)).status, 200);
  t.is((await bob.get('/partners')).status, 401);
  t.is((await renewed.get('/partners')).status, 200);
  t.is((await renewed.delete('/operators/me/tokens/tok_none')).status, 404);
});

test('an admin revokes a token and an operator', async (t) => {
  const lost = await anotherOperator('Lost', 'finance');
  const { operatorId, tokens } = await lost.me();
  const again = new Operator(service, (await lost.post('/operators/me/tokens')).body.token);
  await ada.delete(`/operators/${operatorId}/tokens/${tokens[0].tokenId}`);
  t.is((await lost.get('/partners')).status, 401);
  t.is((await again.get('/partners')).status, 200);
  t.truthy((await ada.delete(`/operators/${operatorId}`)).body.revokedAt);
  t.is((await again.get('/partners')).status, 401);
  t.is((await ada.delete('/operators/opr_none')).status, 404);
});

test('a changed role applies from the next request', async (t) => {
  const rising = await anotherOperator('Rising', 'viewer');
  const { operatorId } = await rising.me();
  t.is((await rising.post('/partners', { name: 'Shop' })).status, 403);
  const changed = await ada.patch(`/operators/${operatorId}`, { role: 'admin' });
  t.is(changed.body.role, 'admin');
  const [entry] = await auditOf(service, changed);
  t.like(entry, { action: 'operator.change-role', details: { from: 'viewer', to: 'admin' } });
  t.is((await rising.post('/partners', { name: 'Shop' })).status, 201);
});
