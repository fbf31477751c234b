import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { EarningRuleDoc } from '../../models/schemas/rules.ts';
import { avoidMidnight } from '../helpers/avoid-midnight.ts';
import { eventually } from '../helpers/eventually.ts';
import { aPurchase, type PartnerBackend } from '../helpers/partner-backend.ts';
import { activateRule, type Service, startService } from '../helpers/service.ts';

let service: Service;

test.before(async () => {
  service = await startService();
  await avoidMidnight();
});
test.after.always(() => service.stop());

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

test('10 concurrent purchases of one customer earn exactly the daily cap', async (t) => {
  const partner = await service.partner({ rule: { capPerCustomerDayPoints: 1_000 } });
  const points = await Promise.all(Array.from({ length: 10 }, () => pointsOf(partner, 1_790)));
  t.is(
    points.reduce((sum, each) => sum + each, 0),
    1_000,
  );
  t.deepEqual(
    points.toSorted((a, b) => b - a),
    [179, 179, 179, 179, 179, 105, 0, 0, 0, 0],
  );
  const { partnerId } = partner;
  await service.allStarted(partner);
  const stored = await service.models.rewards.find({ partnerId });
  t.is(
    stored.reduce((sum, reward) => sum + reward.points, 0),
    1_000,
  );
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
