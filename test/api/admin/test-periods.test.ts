import test from 'ava';
import { createPlanVersion } from '../../../operations/plans/create.ts';
import { publishPlanVersion } from '../../../operations/plans/publish.ts';
import { subscribe } from '../../../operations/subscriptions/create.ts';
import { endTestPeriod } from '../../../operations/test-clock/end-period.ts';
import { smallPlan } from '../../helpers/billing.ts';
import { eventually } from '../../helpers/eventually.ts';
import { operate } from '../../helpers/operate.ts';
import type { PartnerBackend } from '../../helpers/partner-backend.ts';
import { type Service, startService } from '../../helpers/service.ts';
import { type Bought, createScene, type Scene } from '../../workflows/helpers/scene.ts';
import { auditOf } from './helpers/operator.ts';

let service: Service;
let scene: Scene;
let planVersionId: string;
const deps = () => ({ models: service.models, sealer: service.sealer, now: Date.now });
test.before(async () => {
  service = await startService();
  scene = createScene(service);
  // 10.00 a month, 1 000 points included, a cent for each one more.
  const { _id } = await operate(deps(), createPlanVersion, smallPlan);
  planVersionId = (await operate(deps(), publishPlanVersion, { planVersionId: _id }))._id;
});
test.after.always(() => service?.stop());

const pathOf = ({ partnerId }: PartnerBackend) => `/partners/${partnerId}/test-periods`;
const end = (partner: PartnerBackend, fields: Record<string, unknown> = { planVersionId }) =>
  scene.admin.post(pathOf(partner), fields);
/** Rewards of 499 points each, funded. */
const buy = (partner: PartnerBackend, count: number): Promise<Bought[]> =>
  Promise.all(Array.from({ length: count }, () => scene.funded(partner)));

test('a TEST period that is ended brings the invoice it would have brought', async (t) => {
  const partner = await scene.partner('TEST');
  await buy(partner, 3);
  const reply = await end(partner);
  t.is(reply.status, 201, reply.text);
  // 3 × 499 = 1 497 points: 497 past the 1 000 included, a cent each.
  t.like(reply.body, { number: 'TEST-0001', rewards: 3, points: 1_497, totalCents: 1_497 });
  t.deepEqual(
    reply.body.lines.map(({ kind, amountCents }: Record<string, unknown>) => [kind, amountCents]),
    [
      ['PLAN', 1_000],
      ['OVERAGE', 497],
    ],
  );
  const [entry] = await auditOf(service, reply);
  t.like(entry, { action: 'test-clock.end-period', targetId: reply.body.testPeriodId });
});

test('the next period begins where this one ended, and starts from nothing', async (t) => {
  const partner = await scene.partner('TEST');
  await buy(partner, 1);
  const first = (await end(partner)).body;
  const second = (await end(partner)).body;
  t.is(second.periodStart, first.periodEnd);
  t.like(second, { number: 'TEST-0002', rewards: 0, points: 0, totalCents: 1_000 });
  const { items } = (await scene.admin.get(pathOf(partner))).body;
  t.deepEqual(
    items.map(({ number }: { number: string }) => number),
    ['TEST-0002', 'TEST-0001'],
  );
});

test('what is cancelled or expired in its period is not billed, what is claimed is', async (t) => {
  const partner = await scene.partner('TEST');
  const [claimed, expired, refunded] = (await buy(partner, 3)) as [Bought, Bought, Bought];
  await scene.setTestClock(claimed, 'CLAIM');
  await scene.setTestClock(expired, 'EXPIRE');
  await scene.refund(refunded);
  t.like((await end(partner)).body, { rewards: 1, points: 499 });
});

test('what is given back after its period is credited on the next invoice, and what is left on the one after', async (t) => {
  const partner = await scene.partner('TEST');
  const bought = await buy(partner, 6);
  // 6 × 499 = 2 994 points: 1 994 over. Five given back leave none over.
  t.is((await end(partner)).body.totalCents, 2_994);
  for (const one of bought.slice(1)) await scene.refund(one);
  const second = (await end(partner)).body;
  t.like(second, { totalCents: 0, creditLeftCents: 994 });
  t.like(second.lines.at(-1), { kind: 'CREDIT', amountCents: -1_000 });
  const third = (await end(partner)).body;
  t.like(third, { totalCents: 6, creditLeftCents: 0 });
});

test('without a plan version the partner’s own is billed by; without either it is refused', async (t) => {
  const partner = await scene.partner('TEST');
  const refused = await end(partner, {});
  t.is(refused.status, 409);
  t.regex(refused.body.error.message, /planVersionId/);
  const { partnerId } = partner;
  await operate(deps(), subscribe, { partnerId, planVersionId, interval: 'YEAR' });
  t.like((await end(partner, {})).body, { interval: 'YEAR', totalCents: 10_000 });
  t.like((await end(partner, { interval: 'MONTH' })).body, { totalCents: 1_000 });
});

test('a plan that is not offered, or in another currency, is refused', async (t) => {
  const partner = await scene.partner('TEST', { partner: { currency: 'EUR' } });
  for (const fields of [{ planVersionId }, { planVersionId: 'pln_none' }, { interval: 'WEEK' }]) {
    t.is((await end(partner, fields)).body.error.code, 'VALIDATION_FAILED', JSON.stringify(fields));
  }
});

test('LIVE knows nothing of it: no book, no invoice, no subscription, no figure changes', async (t) => {
  const { models } = service;
  const live = await scene.partner('LIVE');
  const { partnerId } = live;
  const tested = await live.withAnotherCredential(models, service.sealer, { mode: 'TEST' });
  await operate(deps(), subscribe, { partnerId, planVersionId, interval: 'MONTH' });
  await scene.funded(live);
  await eventually(() => models.usageEntries.exists({ partnerId }), 'it is metered');
  const everything = async () => {
    const found = await Promise.all([
      models.ledger.find({ partnerId }).lean(),
      models.usageEntries.find({ partnerId }).lean(),
      models.invoices.find({ partnerId }).lean(),
      models.subscriptions.find({ partnerId }).lean(),
    ]);
    const path = '/api/v1/partner/billing';
    const billing = await live.send(undefined, { method: 'GET', path, idempotencyKey: undefined });
    const { asOf: _, ...wallet } = billing.body.wallet;
    return JSON.stringify([found, { ...billing.body, wallet }]);
  };
  const before = await everything();
  const reply = await end(tested);
  t.like(reply.body, { rewards: 0, points: 0 });
  t.is(await everything(), before);
});

test('several that end at once follow each other without a gap, and count each reward once', async (t) => {
  const partner = await scene.partner('TEST');
  const { partnerId } = partner;
  await buy(partner, 2);
  const ended = await Promise.all(
    Array.from({ length: 5 }, () => operate(deps(), endTestPeriod, { partnerId, planVersionId })),
  );
  const slow = { ...deps(), now: () => Date.now() - 60_000 };
  ended.push(await operate(slow, endTestPeriod, { partnerId, planVersionId }));
  const inOrder = ended.toSorted((a, b) => a.seq - b.seq);
  t.deepEqual(
    inOrder.map(({ seq }) => seq),
    [1, 2, 3, 4, 5, 6],
  );
  inOrder.forEach(({ periodStart, periodEnd }, index) => {
    t.true(periodStart <= periodEnd);
    if (index > 0) t.deepEqual(periodStart, inOrder[index - 1]?.periodEnd);
  });
  t.is(
    inOrder.reduce((sum, { points }) => sum + points, 0),
    998,
  );
});
