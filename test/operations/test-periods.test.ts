import test from 'ava';
import type { OperatorActor } from '../../operations/actor.ts';
import { execute } from '../../operations/execute.ts';
import { createPlanVersion } from '../../operations/plans/create.ts';
import { publishPlanVersion } from '../../operations/plans/publish.ts';
import { subscribe } from '../../operations/subscriptions/create.ts';
import { endTestPeriod } from '../../operations/test-clock/end-period.ts';
import { smallPlan } from '../helpers/billing.ts';
import { operate } from '../helpers/operate.ts';
import { storeReview } from '../portal/helpers/stored.ts';
import { openWorkplace, type Workplace } from './helpers/workplace.ts';

let work: Workplace;
let sam: OperatorActor;
let planVersionId: string;
test.before(async () => {
  work = await openWorkplace();
  sam = await work.operator('support');
  // 10.00 a month, 1,000 points included, a cent for each additional one.
  const { _id } = await operate(work.deps, createPlanVersion, smallPlan);
  planVersionId = (await operate(work.deps, publishPlanVersion, { planVersionId: _id }))._id;
});
test.after.always(() => work?.close());

const aPartner = async () => (await work.partner()).partnerId;

const end = (partnerId: string, fields: object = { planVersionId }) =>
  execute(work.deps, endTestPeriod, sam, { partnerId, ...fields });

/** Stores funded rewards of 499 points each. */
async function buy(partnerId: string, count: number, mode: 'TEST' | 'LIVE' = 'TEST') {
  const { models } = work;
  const made: string[] = [];
  for (let nth = 0; nth < count; nth++) {
    const { reward } = await storeReview(work, { partnerId, mark: 'any' }, { mode });
    await models.rewards.collection.updateOne(
      { _id: reward._id },
      { $set: { createdAt: new Date() } },
    );
    made.push(reward._id);
  }
  return made;
}

const giveBack = (rewardIds: string[]) =>
  work.models.rewards.updateMany({ _id: { $in: rewardIds } }, { $set: { funded: false } });

test('ending a TEST period issues the invoice that its end would have brought', async (t) => {
  const partnerId = await aPartner();
  await buy(partnerId, 3);
  await buy(partnerId, 1, 'LIVE');
  const first = await end(partnerId);
  // 3 × 499 = 1,497 points, of which 497 are above the 1,000 included and cost a cent each.
  t.like(first, { seq: 1, rewards: 3, points: 1_497, totalCents: 1_497 });
  t.deepEqual(
    first.lines.map(({ kind, amountCents }) => [kind, amountCents]),
    [
      ['PLAN', 1_000],
      ['OVERAGE', 497],
    ],
  );
  const [entry] = await work.models.auditEntries.find({
    partnerId,
    action: 'test-clock.end-period',
  });
  t.like(entry, { targetId: first._id, status: 'DONE' });

  const second = await end(partnerId);
  t.deepEqual(second.periodStart, first.periodEnd);
  t.like(second, { seq: 2, rewards: 0, points: 0, totalCents: 1_000 });
});

test('points given back within the period are not billed; later ones are credited on the next invoices', async (t) => {
  const partnerId = await aPartner();
  const [lost = '', ...bought] = await buy(partnerId, 7);
  await giveBack([lost]);
  // 6 × 499 = 2,994 points: 1,994 extra. After five are given back, none is extra.
  t.like(await end(partnerId), { rewards: 6, totalCents: 2_994 });
  await giveBack(bought.slice(1));
  const second = await end(partnerId);
  t.like(second, { totalCents: 0, creditLeftCents: 994 });
  t.like(second.lines.at(-1), { kind: 'CREDIT', amountCents: -1_000 });
  t.like(await end(partnerId), { totalCents: 6, creditLeftCents: 0 });
});

test('without a chosen plan version the partner’s own applies; without either the request is refused', async (t) => {
  const partnerId = await aPartner();
  await t.throwsAsync(end(partnerId, {}), { code: 'CONFLICT', message: /planVersionId/ });
  await operate(work.deps, subscribe, { partnerId, planVersionId, interval: 'YEAR' });
  t.like(await end(partnerId, {}), { interval: 'YEAR', totalCents: 10_000 });
  t.like(await end(partnerId, { interval: 'MONTH' }), { totalCents: 1_000 });
});

test('a plan that is not offered, or in another currency, is refused', async (t) => {
  const { partnerId } = await work.partner({ partner: { currency: 'EUR' } });
  for (const fields of [{ planVersionId }, { planVersionId: 'pln_none' }, { interval: 'WEEK' }]) {
    await t.throwsAsync(end(partnerId, fields), { code: 'VALIDATION_FAILED' });
  }
});

test('LIVE is unaffected: ledger, invoices and subscription stay the same', async (t) => {
  const { models } = work;
  const { partnerId } = await work.partner({ mode: 'LIVE', fundingCents: 10_000 });
  await operate(work.deps, subscribe, { partnerId, planVersionId, interval: 'MONTH' });
  await work.claimed(partnerId);
  const everything = () =>
    Promise.all([
      models.ledger.find({ partnerId }),
      models.usageEntries.find({ partnerId }),
      models.invoices.find({ partnerId }),
      models.subscriptions.find({ partnerId }),
      models.rewards.find({ partnerId }),
    ]);
  const before = await everything();
  t.like(await end(partnerId), { rewards: 0, points: 0 });
  t.deepEqual(await everything(), before);
});

test('concurrent ends of periods follow each other without a gap, and count each reward once', async (t) => {
  const partnerId = await aPartner();
  await buy(partnerId, 2);
  const ended = await Promise.all(Array.from({ length: 5 }, () => end(partnerId)));
  const slow = { ...work.deps, now: () => Date.now() - 60_000 };
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
