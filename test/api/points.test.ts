import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { scopes as everyScope } from '../../domain/partners.ts';
import type { Delivery } from '../../domain/purchase.ts';
import { createCommit } from '../../models/commit.ts';
import type { EarningRuleDoc } from '../../models/schemas/rules.ts';
import { updateIntegration } from '../../operations/integrations.ts';
import { newToken, sha256Hex } from '../../platform/hashing.ts';
import { newId } from '../../platform/ids.ts';
import { startAnotherApi } from '../helpers/another-api.ts';
import { avoidMidnight } from '../helpers/avoid-midnight.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { eventually } from '../helpers/eventually.ts';
import { operate } from '../helpers/operate.ts';
import { aPurchase, type PartnerBackend, type Reply } from '../helpers/partner-backend.ts';
import { patienceMs } from '../helpers/patience.ts';
import { activateRule, type Service, startService } from '../helpers/service.ts';
import { townOf } from '../helpers/town.ts';

let service: Service;

async function pointsOf(partner: PartnerBackend, subtotalCents: number, changes: object = {}) {
  const reply = await partner.purchase(aPurchase({ order: { subtotalCents }, ...changes }));
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body.reward.points as number;
}

/** Sends a purchase of each subtotal under a rule and compares the points. */
async function earns(
  t: ExecutionContext,
  rule: Partial<EarningRuleDoc>,
  expected: Record<number, number>,
): Promise<void> {
  const partner = await service.partner({ rule });
  for (const [subtotalCents, points] of Object.entries(expected)) {
    t.is(await pointsOf(partner, Number(subtotalCents)), points, `${subtotalCents} cents`);
  }
}

test('the largest order under the largest rule is still counted exactly', async (t) => {
  await earns(
    t,
    { points: 100_000, unitCents: 3, multiplier: 100 },
    {
      100000000: 333_333_333_333_300,
    },
  );
});

test('FIXED gives its points per order, and 0 under the minimum', async (t) => {
  const rule = { kind: 'FIXED', points: 50, minimumOrderCents: 1_000 } as const;
  await earns(t, rule, { 999: 0, 1000: 50 });
});

test('a multiplier campaign counts from its start, by occurredAt', async (t) => {
  const campaign = { startsAt: '2026-03-01T00:00:00Z', endsAt: '2026-04-01T00:00:00Z' };
  const partner = await service.partner({ rule: { multiplier: 2, campaign } });
  for (const [occurredAt, points] of [
    ['2026-03-01T00:59:59+01:00', 10],
    ['2026-03-01T01:00:00+01:00', 20],
  ] as const) {
    t.is(await pointsOf(partner, 100, { occurredAt }), points, occurredAt);
  }
});

test('the cap per customer and day truncates to the rest of the day, then to 0', async (t) => {
  const partner = await service.partner({ rule: { capPerCustomerDayPoints: 100 } });
  t.is(await pointsOf(partner, 700), 70);
  t.is(await pointsOf(partner, 700), 30);
  t.is(await pointsOf(partner, 700), 0);
  t.is(await pointsOf(partner, 700, { customer: { email: 'another@example.com' } }), 70);
});

test('300 purchases of one customer at once, in two processes, earn exactly the daily cap, and none is refused', async (t) => {
  const { models, hashKey } = service;
  const commit = createCommit({ patienceMs, models, hashKey, now: Date.now });
  const other = await startAnotherApi(service, { commit });
  t.teardown(other.stop);
  const partner = await service.partner({ rule: { capPerCustomerDayPoints: 1_000 } });
  const processes = [partner, partner.changed(other)];
  const points = await Promise.all(
    Array.from({ length: 300 }, (_, nth) => pointsOf(processes[nth % 2] ?? partner, 1_790)),
  );
  t.deepEqual(points.toSorted((a, b) => b - a).slice(0, 7), [179, 179, 179, 179, 179, 105, 0]);
  const { partnerId } = partner;
  const stored = await models.orderEvents.find({ partnerId });
  t.is(stored.length, 300);
  t.is(
    stored.reduce((sum, { purchase }) => sum + (purchase?.arithmetic.points ?? 0), 0),
    1_000,
  );
});

test('a budget truncates to what it has left, then to 0, and a refund gives back to it', async (t) => {
  const budget = { name: 'Spring', totalPoints: 100, monthPoints: null };
  const partner = await service.partner({ rule: { budget }, scopes: [...everyScope] });
  const externalOrderId = randomUUID();
  const first = await partner.purchase(
    aPurchase({ externalOrderId, order: { subtotalCents: 700 } }),
  );
  t.is(first.body.reward.points, 70);
  const quoted = async () => {
    const options = { path: '/api/v1/partner/quotes', idempotencyKey: undefined };
    return (await partner.send({ order: { subtotalCents: 700 } }, options)).body.explanation;
  };
  t.regex(await quoted(), /“Spring” had 30 points left/);
  const another = { customer: { email: 'another@example.com' } };
  t.is(await pointsOf(partner, 700, another), 30);
  t.is(await pointsOf(partner, 700), 0);
  t.regex(await quoted(), /“Spring” was used up/);
  await partner.refund({ externalOrderId });
  t.is(await pointsOf(partner, 200), 20);
  t.is(await pointsOf(partner, 700), 50);
  const { partnerId } = partner;
  const [use] = await service.models.ruleBudgets.find({ partnerId });
  t.like(use, { name: 'Spring', mode: 'TEST', points: 100 });
});

test('the months of a budget are those of the partner’s time zone, by occurredAt', async (t) => {
  const budget = { name: 'Spring', totalPoints: null, monthPoints: 100 };
  const partner = await service.partner({ rule: { budget } });
  const { partnerId } = partner;
  await service.models.partners.updateOne(
    { _id: partnerId },
    { $set: { country: 'DE', timeZone: 'Europe/Berlin' } },
  );
  const at = (occurredAt: string) => pointsOf(partner, 700, { occurredAt });
  t.is(await at('2026-03-01T00:30:00+01:00'), 70);
  t.is(await at('2026-03-31T21:59:59Z'), 30);
  t.is(await at('2026-03-31T22:00:00Z'), 70);
  const [use] = await service.models.ruleBudgets.find({ partnerId });
  t.deepEqual(use?.months, { '2026-03': 100, '2026-04': 70 });
});

test('60 purchases at once, in two processes, earn exactly the budget, and none is refused', async (t) => {
  const { models, hashKey } = service;
  const commit = createCommit({ patienceMs, models, hashKey, now: Date.now });
  const other = await startAnotherApi(service, { commit });
  t.teardown(other.stop);
  const budget = { name: 'Spring', totalPoints: 1_000, monthPoints: 5_000 };
  const partner = await service.partner({ rule: { budget } });
  const processes = [partner, partner.changed(other)];
  const points = await Promise.all(
    Array.from({ length: 60 }, (_, nth) => {
      const customer = { email: `customer-${nth}@example.com` };
      return pointsOf(processes[nth % 2] ?? partner, 1_790, { customer });
    }),
  );
  t.deepEqual(points.toSorted((a, b) => b - a).slice(0, 7), [179, 179, 179, 179, 179, 105, 0]);
});

test('a customer is recognized in any case of the email and any spelling of the phone number', async (t) => {
  const partner = await service.partner({ rule: { capPerCustomerDayPoints: 100 } });
  const left = (customer: object) => pointsOf(partner, 700, { customer });
  t.is(await left({ email: 'Jane.Doe@Example.com' }), 70);
  t.is(await left({ email: ' jane.doe@example.COM ', phone: '4155552671' }), 30);
  t.is(await left({ phone: '(415) 555-2671' }), 70);
  t.is(await left({ phone: '+1 415 555 2671', email: ' ' }), 30);
});

test('customers of two partners are separate, and so are the daily caps of TEST and LIVE', async (t) => {
  const { models, sealer } = service;
  const rule = { capPerCustomerDayPoints: 100 };
  const [one, other] = [await service.partner({ rule }), await service.partner({ rule })];
  await activateRule(models, { partnerId: one.partnerId, mode: 'LIVE', ...rule });
  const live = await one.withAnotherCredential(models, sealer, { mode: 'LIVE' });
  for (const partner of [one, other, live]) t.is(await pointsOf(partner, 5_000), 100);
  for (const partner of [one, other]) await service.allStarted(partner);
  const rewards = await models.rewards.find({
    partnerId: { $in: [one.partnerId, other.partnerId] },
  });
  t.is(new Set(rewards.map(({ customerId }) => customerId)).size, 2);
});

test('the reward keeps the rule version and the arithmetic', async (t) => {
  const { models } = service;
  const partner = await service.partner({ rule: null });
  const { partnerId } = partner;
  const ruleId = await activateRule(models, {
    partnerId,
    mode: 'TEST',
    multiplier: 3,
    capPerOrderPoints: 1_000,
    capPerCustomerDayPoints: 1_200,
  });
  await pointsOf(partner, 300);
  const { body } = await partner.purchase();
  const reward = await service.rewardOf(body.reward.id);
  t.like(reward.arithmetic, {
    ruleId,
    kind: 'PER_AMOUNT',
    subtotalCents: 4_990,
    basePoints: 499,
    multiplier: 3,
    uncappedPoints: 1_497,
    capPerOrderPoints: 1_000,
    customerDayLeftPoints: 1_110,
    points: 1_000,
  });
  t.is(reward.points, 1_000);
  t.is(body.reward.points, 1_000);
  t.is(reward.arithmetic.explanation, 'floor(4990 × 10 / 100) = 499, × 3 = 1497, capped at 1000');
});

test('an integration’s rule overrides the partner’s rule there and nowhere else', async (t) => {
  const { models, sealer } = service;
  const shop = await service.partner();
  const { partnerId } = shop;
  const integrationId = `int_${randomUUID()}`;
  await activateRule(models, { partnerId, mode: 'TEST', integrationId, points: 30 });
  const till = await shop.withAnotherCredential(models, sealer, { integrationId });
  t.is(await pointsOf(shop, 100), 10);
  t.is(await pointsOf(till, 100), 30);
});

test('each currency has its own active rule', async (t) => {
  const { models } = service;
  const partner = await service.partner();
  const { partnerId } = partner;
  await activateRule(models, { partnerId, mode: 'TEST', currency: 'JPY', points: 1, unitCents: 7 });
  t.is(await pointsOf(partner, 700), 70);
  t.is(await pointsOf(partner, 0, { order: { subtotalCents: 700, currency: 'jpy' } }), 100);
});

test('the last activated rule is the active one, and earlier rewards keep theirs', async (t) => {
  const { models } = service;
  const partner = await service.partner();
  const { partnerId } = partner;
  const before = await partner.purchase(aPurchase({ order: { subtotalCents: 100 } }));
  await activateRule(models, { partnerId, mode: 'TEST', points: 20 });
  await eventually(async () => (await pointsOf(partner, 100)) === 20, 'the new rule applies');
  const kept = await service.rewardOf(before.body.reward.id);
  t.is(kept.points, 10);
});

test('claimExpiresAt is one claim window after the purchase was received', async (t) => {
  const partner = await service.partner({ rule: { claimWindow: 'P2D' } });
  const { body } = await partner.purchase(aPurchase({ occurredAt: '2020-01-01T00:00:00Z' }));
  const { receivedAt } = await service.models.orderEvents.findById(body.eventId).orFail();
  t.is(Date.parse(body.reward.claimExpiresAt) - receivedAt.getTime(), 2 * 86_400_000);
});

const scopes: PartnerBackend['scopes'] = ['events:read', 'events:write'];

const read = (partner: PartnerBackend, rewardId: string, query = ''): Promise<Reply> =>
  partner.send(undefined, { method: 'GET', path: `/api/v1/partner/rewards/${rewardId}`, query });

test('a reward can be read right after its purchase’s response, before its workflow has started, and matches it', async (t) => {
  const partner = await service.partner({ scopes });
  const { body: bought } = await partner.purchase();
  const first = await read(partner, bought.reward.id);
  t.is(first.status, 200);
  t.like(first.body, { success: true, mode: 'TEST', reward: { refunds: [], review: null } });
  t.like(first.body.reward, { ...bought.reward, externalOrderId: bought.externalOrderId });

  // A purchase's event, for which no workflow starts.
  await service.allStarted(partner);
  const { orderEvents, rewards } = service.models;
  const event = await orderEvents.findById(bought.eventId).orFail();
  const other = { _id: newId('event'), rewardId: newId('reward'), externalOrderId: 'unstarted' };
  await orderEvents.collection.insertOne({ ...event, ...other, idempotencyKeyHash: 'x' });
  t.teardown(() => orderEvents.deleteOne({ _id: other._id }));
  const unstarted = await read(partner, other.rewardId);
  const { rewardId: id, externalOrderId } = other;
  const { createdAt } = first.body.reward;
  t.deepEqual(unstarted.body.reward, {
    ...bought.reward,
    id,
    externalOrderId,
    createdAt,
    updatedAt: createdAt,
    refunds: [],
    review: null,
  });
  t.is(await rewards.findById(id), null);
});

test('a reward shows each refund with its response, and the decision of its review', async (t) => {
  const partner = await service.partner({ scopes });
  const review = await townOf(service).reviewed(partner);
  const { rewardId, externalOrderId } = review;
  const before = (await read(partner, rewardId)).body.reward;
  t.like(before, {
    status: 'ADMIN_REVIEW',
    customerStatus: 'CLAIMED',
    review: { status: 'OPEN', decidedAt: null },
  });
  await partner.refund({ externalOrderId, externalRefundId: 'second' });
  const decided = await fetch(`${service.adminUrl}/reviews/${review._id}/decision`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.adminToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ decision: 'UPHOLD', reasonCode: 'GOODS_RETURNED' }),
  });
  t.is(decided.status, 200);
  await partner.refund({ externalOrderId, externalRefundId: 'third' });

  const { reward } = (await read(partner, rewardId)).body;
  t.like(reward, { status: 'CANCELLED', customerStatus: 'CANCELLED', externalOrderId });
  const refunds: { externalRefundId: string; status: string; receivedAt: string }[] =
    reward.refunds;
  t.deepEqual(
    refunds.map(({ externalRefundId, status }) => [externalRefundId, status]),
    [
      [`refund:${externalOrderId}`, 'ADMIN_REVIEW'],
      ['second', 'ADMIN_REVIEW'],
      ['third', 'CANCELLED'],
    ],
  );
  t.deepEqual(
    refunds.map(({ receivedAt }) => receivedAt).toSorted(),
    refunds.map(({ receivedAt }) => receivedAt),
  );
  t.is(reward.review.status, 'UPHELD');
  t.true(reward.updatedAt >= reward.review.decidedAt);
});

test('other partners’ and unknown rewards are NOT_FOUND; a missing scope or a query is refused', async (t) => {
  const partner = await service.partner({ scopes });
  const { body } = await partner.purchase();
  const rewardId: string = body.reward.id;
  const stranger = await service.partner({ scopes });
  const { models, sealer } = service;
  await models.partners.updateOne({ _id: partner.partnerId }, { 'goLive.state': 'LIVE' });
  const live = await partner.withAnotherCredential(models, sealer, { mode: 'LIVE' });
  const outcome = ({ status, body }: Reply) => [status, body.error?.code];
  for (const when of ['before its workflow', 'after it has started']) {
    if (when === 'after it has started') await service.allStarted(partner);
    for (const other of [stranger, live]) {
      t.deepEqual(outcome(await read(other, rewardId)), [404, 'NOT_FOUND'], when);
    }
  }
  const ids = [newId('reward'), 'PNR_1', body.eventId, rewardId.toLowerCase(), '%00', '%', 'a%2Fb'];
  for (const id of ids) t.deepEqual(outcome(await read(partner, id)), [404, 'NOT_FOUND'], id);
  t.is((await read(partner, rewardId, '?a=1')).body.error.code, 'UNEXPECTED_QUERY');
  const writer = await partner.withAnotherCredential(models, sealer, { scopes: ['events:write'] });
  t.is((await read(writer, rewardId)).body.error.code, 'INSUFFICIENT_SCOPE');
  t.is(
    (
      await partner.changed({ secret: 'x' }).send(undefined, {
        method: 'GET',
        path: `/api/v1/partner/rewards/${rewardId}`,
      })
    ).body.error.code,
    'INVALID_SIGNATURE',
  );
});

test('concurrent reads of different rewards each get their own', async (t) => {
  const partner = await service.partner({ scopes });
  const bought = await Promise.all([1, 2, 3, 4].map(() => partner.purchase(aPurchase())));
  const ids: string[] = bought.map(({ body }) => body.reward.id);
  const all = await Promise.all([...ids, ...ids].map((id) => read(partner, id)));
  t.deepEqual(
    all.map(({ body }) => body.reward.id),
    [...ids, ...ids],
  );
});

test.before(async () => {
  service = await startService();
  await avoidMidnight();
});

test.after.always(async () => {
  await service.stop();
});

const deliverBy = async (
  { partnerId, integrationId }: PartnerBackend,
  delivery: Delivery,
): Promise<unknown> =>
  await operate({ models: service.models, now: Date.now }, updateIntegration, {
    partnerId,
    integrationId,
    delivery,
  });

/** A partner that delivers its claim links itself. */
async function deliveringPartner(): Promise<PartnerBackend> {
  const partner = await service.partner();
  await deliverBy(partner, 'PARTNER');
  return partner;
}

/** The same partner on another API process, whose caches are empty. */
async function elsewhere(t: ExecutionContext, partner: PartnerBackend): Promise<PartnerBackend> {
  const api = await startAnotherApi(service, {});
  t.teardown(() => api.stop());
  return partner.changed(api);
}

test('an integration that delivers claim links gets them in its responses, and they claim', async (t) => {
  const partner = await deliveringPartner();
  const { body } = await partner.purchase(aPurchase({ customer: { phone: '+12025550123' } }));
  const { pathname } = new URL(body.reward.claimUrl);
  const token = await claimTokenOf(service, body.eventId);
  t.is(pathname, `/claim/${token}`);
  t.is((await service.claim(token)).body.reward.status, 'AVAILABLE');
});

test('a link works right after the response: a claim begins the purchase', async (t) => {
  const partner = await deliveringPartner();
  const { body } = await partner.purchase();
  const { models } = service;
  const event = await models.orderEvents.findById(body.eventId).orFail();
  // As stored between the response and the workflow's first step.
  const [_id, token] = [newId('event'), newToken()];
  await models.orderEvents.collection.insertOne({
    ...event,
    _id,
    purchaseEventId: _id,
    rewardId: newId('reward'),
    workflowId: _id,
    externalOrderId: _id,
    idempotencyKeyHash: sha256Hex(_id),
    purchase: { ...event.purchase, claimTokenHash: sha256Hex(token) },
    due: null,
  } as never);
  t.is((await fetch(await service.claimLink(token))).status, 200);
  t.is((await service.openClaim(token)).body.reward.status, 'PENDING');
  const claimed = await service.claim(token);
  t.is(claimed.body.reward.status, 'AVAILABLE');
  t.is((await service.openClaim(newToken())).status, 404);
});

test('no other integration gets a link', async (t) => {
  const { body } = await (await service.partner()).purchase();
  t.false('claimUrl' in body.reward);
});

test('a replay repeats the link byte for byte, whatever the integration’s delivery is by then and in any process', async (t) => {
  const partner = await deliveringPartner();
  const purchase = aPurchase();
  const options = { idempotencyKey: 'one' };
  const first = await partner.purchase(purchase, options);
  await service.allStarted(partner);
  await deliverBy(partner, 'SERVICE');
  for (const sender of [partner, await elsewhere(t, partner)]) {
    const again = await sender.purchase(purchase, options);
    t.is(again.text, first.text);
    t.is(again.headers.get('idempotent-replayed'), 'true');
  }
});

test('the link is never stored in clear', async (t) => {
  const partner = await deliveringPartner();
  const { body } = await partner.purchase();
  await service.allStarted(partner);
  const { models } = service;
  const event = await models.orderEvents.findById(body.eventId);
  const reward = await models.rewards.findById(body.reward.id);
  const token = await claimTokenOf(service, body.eventId);
  t.false(JSON.stringify([event, reward]).includes(token));
});

test('once the customer is erased, a replay leaves the link out', async (t) => {
  const partner = await deliveringPartner();
  const purchase = aPurchase();
  const first = await partner.purchase(purchase, { idempotencyKey: 'one' });
  await service.allStarted(partner);
  const { partnerId } = partner;
  await service.models.orderEvents.updateMany({ partnerId }, { $set: { sealed: null } });
  const { claimUrl: _, ...reward } = first.body.reward;
  const again = await partner.purchase(purchase, { idempotencyKey: 'one' });
  t.deepEqual(again.body, { ...first.body, reward });
});

test('nothing is sent to the customer of a partner that delivers the links', async (t) => {
  const partner = await deliveringPartner();
  const { body } = await partner.purchase();
  await deliverBy(partner, 'SERVICE');
  // The email of a later purchase is sent after it.
  const mailed = await eventually(async () => {
    const later = await partner.purchase();
    return 'claimUrl' in later.body.reward ? undefined : later.body.reward.id;
  }, 'the API uses the new delivery');
  await eventually(
    async () => service.mails.some(({ id }) => id === mailed),
    'the later email is sent',
  );
  await service.carriedOut(partner);
  t.false(service.mails.some(({ id }) => id === body.reward.id));
});
