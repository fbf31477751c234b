import test from 'ava';
import type { Mode } from '../../domain/mode.ts';
import { scopes } from '../../domain/partners.ts';
import { newId } from '../../platform/ids.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase, type PartnerBackend, type SendOptions } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service.stop());

const base = '/api/v1/partner';
const dayMs = 86_400_000;

const release = (as: PartnerBackend, id: string, body: unknown = {}, options: SendOptions = {}) =>
  as.send(body, { path: `${base}/orders/${encodeURIComponent(id)}/release`, ...options });

const orderOf = async (as: PartnerBackend, id: string) =>
  (await as.send('', { method: 'GET', path: `${base}/orders/${encodeURIComponent(id)}` })).body;

const partnerOf = (mode: Mode, rule: object) =>
  service.partner({ mode, rule, scopes: [...scopes], fundingCents: 10_000 });

for (const mode of ['LIVE', 'TEST'] as const) {
  test(`${mode}: answers, reads and quotes say from when on points can be claimed, and a release ends that`, async (t) => {
    const partner = await partnerOf(mode, { holdFor: 'P14D', claimWindow: 'P30D' });
    const externalOrderId = 'A/1 ü';
    const { body } = await partner.purchase(aPurchase({ externalOrderId }));
    const { id, claimableFrom, claimExpiresAt } = body.reward;
    t.is(Date.parse(claimExpiresAt) - Date.parse(claimableFrom), 30 * dayMs);
    const begun = async () =>
      (await service.models.rewards.findById(id))?.state === 'FUNDED' && true;
    await eventually(begun, 'the purchase begins');
    t.like((await orderOf(partner, externalOrderId)).reward, { claimableFrom, claimExpiresAt });
    const asked = { order: { subtotalCents: 4_990 } };
    const quoted = await partner.send(asked, { path: `${base}/quotes`, idempotencyKey: undefined });
    t.true(quoted.body.claimableFrom >= claimableFrom, quoted.text);
    const balance = await partner.send(
      { customer: { email: 'customer@example.com' } },
      { path: `${base}/balances`, idempotencyKey: undefined },
    );
    t.like(balance.body, { points: 0, pendingPoints: 499 });

    const key = { idempotencyKey: 'release-1' };
    const released = await release(partner, externalOrderId, {}, key);
    t.is(released.status, 200, released.text);
    const { reward } = released.body;
    t.true(reward.claimableFrom < claimableFrom);
    t.is(Date.parse(reward.claimExpiresAt) - Date.parse(reward.claimableFrom), 30 * dayMs);
    t.deepEqual((await release(partner, externalOrderId, {}, key)).body, released.body);
    t.deepEqual((await release(partner, externalOrderId)).body, released.body);
    t.deepEqual(await orderOf(partner, externalOrderId), released.body);
    await partner.refund({ externalOrderId });
    t.is((await release(partner, externalOrderId)).body.reward.status, 'CANCELLED');
  });
}

test('a purchase without a hold can be claimed at once, and its release changes nothing', async (t) => {
  const partner = await service.partner();
  const { body } = await partner.purchase(aPurchase({ externalOrderId: 'A1' }));
  t.is(body.reward.claimableFrom, null);
  const before = await orderOf(partner, 'A1');
  t.is(before.reward.claimableFrom, null);
  const { status, body: after } = await release(partner, 'A1');
  t.is(status, 200);
  t.is(after.reward.claimExpiresAt, before.reward.claimExpiresAt);
  t.is(after.reward.claimableFrom, null);
});

test('the hold of a purchase that is reported late began when it happened', async (t) => {
  const partner = await partnerOf('TEST', { holdFor: 'P14D' });
  const ago = (days: number) => new Date(Date.now() - days * dayMs).toISOString();
  const occurredAt = ago(10);
  const { body } = await partner.purchase(aPurchase({ occurredAt }));
  t.is(Date.parse(body.reward.claimableFrom) - Date.parse(occurredAt), 14 * dayMs);
  const past = await partner.purchase(aPurchase({ occurredAt: ago(20) }));
  t.is(past.body.reward.claimableFrom, null);
});

test('an order is released only by its own integration, with the scope, a key and an empty object', async (t) => {
  const partner = await partnerOf('TEST', { holdFor: 'P14D' });
  const { body } = await partner.purchase(aPurchase({ externalOrderId: 'A1' }));
  const { models, sealer } = service;
  const integrationId = newId('integration');
  const elsewhere = await partner.withAnotherCredential(models, sealer, { integrationId });
  const reader = await partner.withAnotherCredential(models, sealer, { scopes: ['events:read'] });
  for (const [as, id, sent, options, status, code] of [
    [elsewhere, 'A1', {}, {}, 404, 'NOT_FOUND'],
    [partner, 'unknown', {}, {}, 404, 'NOT_FOUND'],
    [reader, 'A1', {}, {}, 403, 'INSUFFICIENT_SCOPE'],
    [partner, 'A1', {}, { idempotencyKey: undefined }, 400, 'IDEMPOTENCY_KEY_REQUIRED'],
    [partner, 'A1', { now: true }, {}, 400, 'VALIDATION_FAILED'],
    [partner, 'A1', '[]', {}, 400, 'VALIDATION_FAILED'],
  ] as const) {
    const reply = await release(as, id, sent, options);
    t.is(reply.status, status, reply.text);
    t.is(reply.body.error.code, code);
  }
  const { reward } = await orderOf(partner, 'A1');
  t.is(reward.claimableFrom, body.reward.claimableFrom);
});
