import test from 'ava';
import { type Billing, smallPlan, startBilling } from '../../helpers/billing.ts';
import { makeFaulty } from '../../helpers/faults.ts';
import { isThorough } from '../../helpers/places.ts';
import { raceAtEveryOperation } from '../../helpers/race.ts';

const clock = { at: '2026-03-01T00:00:00.000Z' };
let billing: Billing;
let planVersionId: string;
test.before(async () => {
  billing = await startBilling(clock);
  makeFaulty(billing.models);
  planVersionId = await billing.plan(smallPlan);
});
test.after.always(() => billing?.stop());

const day = (text: string) => `${text}T00:00:00.000Z`;
const aSubscriber = () => billing.subscriber(planVersionId, day('2026-03-10'));
const start = day('2026-03-10');

/** How often a race is run whose order is random. */
const rounds = isThorough ? 5 : 2;

const noUse = { points: 0, cents: 0 };
const pointsOfDays = async (partnerId: string, at: string, count: number) =>
  (await billing.lastDays(partnerId, at, count)).map(({ points }) => points);

/** What days have counted in total. */
const pointsOfAllDays = async (partnerId: string) =>
  (await billing.models.usagePeriods.find({ partnerId }))
    .flatMap(({ days = {} }) => Object.values(days))
    .reduce((sum, { points }) => sum + points, 0);

test('a LIVE reward’s points count towards the period in which it was funded', async (t) => {
  const { partnerId, subscriptionId } = await aSubscriber();
  await billing.count(partnerId, 300, day('2026-03-10'));
  await billing.count(partnerId, 200, '2026-04-09T23:59:59.999Z');
  await billing.count(partnerId, 7, day('2026-04-10'));
  t.is(await billing.periodPoints(partnerId, { subscriptionId, start }), 500);
  t.is(await billing.periodPoints(partnerId, { subscriptionId, start: day('2026-04-10') }), 7);
});

test('a reward counts once, despite repeats and concurrency', async (t) => {
  const { partnerId, subscriptionId } = await aSubscriber();
  const [one, another] = [billing.depsAt(day('2026-03-12')), billing.depsAt(day('2026-03-12'))];
  await Promise.all(
    [one, one, another, another].map((process) =>
      billing.count(partnerId, 300, day('2026-03-12'), 'PNR_once', process),
    ),
  );
  t.is(await billing.periodPoints(partnerId, { subscriptionId, start }), 300);
  t.deepEqual(await pointsOfDays(partnerId, day('2026-03-12'), 1), [300]);
});

test('a reward funded by a process whose clock is far behind counts in the first period that is not billed', async (t) => {
  const { partnerId, subscriptionId } = await aSubscriber();
  await billing.bill(partnerId, day('2026-06-10'));
  for (let nth = 0; nth < 2; nth++) await billing.count(partnerId, 200, day('2026-03-12'));
  t.is(await billing.periodPoints(partnerId, { subscriptionId, start: day('2026-06-10') }), 400);
  const periods = await billing.models.usagePeriods.find({ partnerId }).sort({ start: 1 });
  const billed = periods.map(({ points, billedOn }) => [points, billedOn !== null]);
  t.deepEqual(billed, [
    [0, true],
    [0, true],
    [0, true],
    [400, false],
  ]);
});

test('a reward of 0 points is metered too', async (t) => {
  const { partnerId, subscriptionId } = await aSubscriber();
  const rewardId = await billing.count(partnerId, 0, day('2026-03-12'));
  const { countedIn } = await billing.models.rewards.findById(rewardId).orFail();
  t.deepEqual(countedIn, { periodId: `${subscriptionId}/${start}`, day: '2026-03-12' });
  t.is(await billing.periodPoints(partnerId, { subscriptionId, start }), 0);
});

test('without a subscription points count towards the calendar month', async (t) => {
  const partnerId = await billing.partner();
  await billing.count(partnerId, 300, '2026-03-31T23:59:59.999Z');
  await billing.count(partnerId, 5, day('2026-04-01'));
  const of = (month: string) =>
    billing.periodPoints(partnerId, { subscriptionId: null, start: day(month) });
  t.is(await of('2026-03-01'), 300);
  t.is(await of('2026-04-01'), 5);
});

test('before and after the subscription, points count towards the calendar month', async (t) => {
  const { partnerId, subscriptionId } = await aSubscriber();
  await billing.models.subscriptions.updateOne(
    { partnerId },
    { $set: { endsAt: new Date(day('2026-04-10')) } },
  );
  await billing.count(partnerId, 1, '2026-03-09T23:59:59.999Z');
  await billing.count(partnerId, 2, '2026-04-09T23:59:59.999Z');
  await billing.count(partnerId, 4, day('2026-04-10'));
  t.is(await billing.periodPoints(partnerId, { subscriptionId, start }), 2);
  t.is(
    await billing.periodPoints(partnerId, { subscriptionId: null, start: day('2026-03-01') }),
    1,
  );
  t.is(
    await billing.periodPoints(partnerId, { subscriptionId: null, start: day('2026-04-01') }),
    4,
  );
});

test('a reward given back is deducted from its period, its day and that day’s cents, once', async (t) => {
  const { partnerId, subscriptionId } = await aSubscriber();
  await billing.count(partnerId, 300, day('2026-03-12'));
  const rewardId = await billing.count(partnerId, 200, day('2026-03-12'));
  const [one, another] = [billing.depsAt(day('2026-03-20')), billing.depsAt(day('2026-03-20'))];
  await Promise.all(
    [one, one, another].map((process) =>
      billing.giveBack(partnerId, rewardId, day('2026-03-20'), process),
    ),
  );
  t.is(await billing.periodPoints(partnerId, { subscriptionId, start }), 300);
  t.deepEqual(await billing.lastDays(partnerId, day('2026-03-14'), 5), [
    { points: 300, cents: 600 },
    noUse,
    noUse,
  ]);
  t.is(await billing.creditCents(partnerId), 0);
});

test('giving back a reward that was never counted changes nothing', async (t) => {
  const { partnerId } = await aSubscriber();
  await billing.giveBack(partnerId, 'PNR_unknown', day('2026-03-20'));
  t.is(await billing.models.usagePeriods.countDocuments({ partnerId }), 0);
  t.is(await pointsOfAllDays(partnerId), 0);
});

test('a reward after its period was closed counts towards the next one, under its own day', async (t) => {
  const { partnerId, subscriptionId } = await aSubscriber();
  await billing.bill(partnerId, day('2026-04-10'));
  await billing.count(partnerId, 300, day('2026-04-01'));
  t.is(await billing.periodPoints(partnerId, { subscriptionId, start }), 0);
  t.is(await billing.periodPoints(partnerId, { subscriptionId, start: day('2026-04-10') }), 300);
  t.deepEqual(await pointsOfDays(partnerId, day('2026-04-01'), 1), [300]);
});

test('closing a period twice, even concurrently, bills it once with one total', async (t) => {
  const { partnerId, subscriptionId } = await aSubscriber();
  await billing.count(partnerId, 1_300, day('2026-03-12'));
  const at = day('2026-04-10');
  await Promise.all([1, 2, 3].map(() => billing.bill(partnerId, at, billing.depsAt(at))));
  await billing.count(partnerId, 50, day('2026-03-13'));
  await billing.bill(partnerId, day('2026-04-11'));
  const invoices = await billing.invoices(partnerId);
  t.deepEqual(
    invoices.map(({ totalCents }) => totalCents),
    [1_300],
  );
  t.is(invoices[0] && (await billing.postedCents(invoices[0])), 1_300);
  t.is(await billing.periodPoints(partnerId, { subscriptionId, start }), 1_300);
});

test('rewards racing the close each count once, in this period or the next', async (t) => {
  const rewards = 60;
  for (let round = 0; round < rounds; round++) {
    const { partnerId, subscriptionId } = await aSubscriber();
    const processes = [1, 2, 3].map(() => billing.depsAt(day('2026-03-12')));
    const counting = Array.from({ length: rewards }, (_, index) =>
      billing.count(
        partnerId,
        1,
        day('2026-03-12'),
        `PNR_${partnerId}${index}`,
        processes[index % processes.length],
      ),
    );
    await Promise.all([billing.bill(partnerId, day('2026-04-10')), ...counting]);
    const here = await billing.periodPoints(partnerId, { subscriptionId, start });
    const next = { subscriptionId, start: day('2026-04-10') };
    t.is((await billing.periodPoints(partnerId, next)) + here, rewards);
    t.is(await pointsOfAllDays(partnerId), rewards);
  }
});

test('points given back to a closed period become a credit for the overage they had cost', async (t) => {
  const { partnerId, subscriptionId } = await aSubscriber();
  // Of 1,500 points, 1,000 are included; each of the other 500 costs a cent.
  const large = await billing.count(partnerId, 800, day('2026-03-12'));
  const small = await billing.count(partnerId, 300, day('2026-03-13'));
  await billing.count(partnerId, 400, day('2026-03-14'));
  await billing.bill(partnerId, day('2026-04-10'));
  t.is((await billing.invoices(partnerId))[0]?.totalCents, 1_500);

  await billing.giveBack(partnerId, small, day('2026-04-12'));
  t.is(await billing.creditCents(partnerId), 300);
  // Of these 800, only 200 are still above the allowance.
  await billing.giveBack(partnerId, large, day('2026-04-13'));
  t.is(await billing.creditCents(partnerId), 500);
  await billing.giveBack(partnerId, large, day('2026-04-14'));
  t.is(await billing.creditCents(partnerId), 500);
  t.is(await billing.periodPoints(partnerId, { subscriptionId, start }), 400);
});

test('rewards given back while their period is closed and billed neither lose nor gain a cent', async (t) => {
  for (let round = 0; round < rounds; round++) {
    const { partnerId, subscriptionId } = await aSubscriber();
    const one = billing.depsAt(day('2026-03-12'));
    const rewardIds = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        billing.count(partnerId, 100, day('2026-03-12'), `PNR_${partnerId}${index}`, one),
      ),
    );
    const returned = rewardIds.slice(0, 25);
    const other = billing.depsAt(day('2026-04-10'));
    await Promise.all([
      billing.bill(partnerId, day('2026-04-10')),
      ...returned.map((rewardId) =>
        billing.giveBack(partnerId, rewardId, day('2026-04-10'), other),
      ),
    ]);
    const [invoice] = await billing.invoices(partnerId);
    const creditCents = await billing.creditCents(partnerId);
    // The remaining 500 points are all included, so only the price is owed.
    t.is((invoice?.totalCents ?? 0) - creditCents, 1_000);
    t.is(await billing.periodPoints(partnerId, { subscriptionId, start }), 500);
    t.is(await pointsOfAllDays(partnerId), 500);
  }
});

type Action = (partnerId: string) => Promise<unknown>;
const billed: Action = (partnerId) => billing.bill(partnerId, day('2026-04-10'));
const givenBack: Action = (partnerId) =>
  billing.giveBack(partnerId, `${partnerId} back`, day('2026-04-10'));
const counted: Action = (partnerId) =>
  billing.count(partnerId, 500, day('2026-03-12'), `${partnerId} late`);

for (const [what, act, meanwhile] of [
  ['a reward is given back during the billing', billed, givenBack],
  ['the billing runs while a reward is given back', givenBack, billed],
  ['a reward is counted during the billing', billed, counted],
  ['the billing runs while a reward is counted', counted, billed],
] as const) {
  test(`${what}, at any point: no cent and no point is lost or gained`, async (t) => {
    await raceAtEveryOperation(t, async () => {
      const { partnerId, subscriptionId } = await aSubscriber();
      await billing.count(partnerId, 1_000, day('2026-03-12'));
      await billing.count(partnerId, 500, day('2026-03-12'), `${partnerId} back`);
      return {
        act: () => act(partnerId),
        meanwhile: () => meanwhile(partnerId),
        async holds(_, where) {
          const isCounting = act === counted || meanwhile === counted;
          const here = await billing.periodPoints(partnerId, { subscriptionId, start });
          const next = { subscriptionId, start: day('2026-04-10') };
          const later = await billing.periodPoints(partnerId, next);
          t.is(here + later, isCounting ? 2_000 : 1_000, where);
          const [invoice] = await billing.invoices(partnerId);
          const creditCents = await billing.creditCents(partnerId);
          // The price, and a cent for each point above the allowance that stays in the period.
          t.is((invoice?.totalCents ?? 0) - creditCents, here, where);
          t.is(await pointsOfAllDays(partnerId), here + later);
        },
      };
    });
  });
}

test('credit is used once, on the next invoices, and never goes below zero', async (t) => {
  const { partnerId } = await aSubscriber();
  const rewardId = await billing.count(partnerId, 3_300, day('2026-03-12'));
  await billing.bill(partnerId, day('2026-04-10'));
  await billing.giveBack(partnerId, rewardId, day('2026-04-12'));
  t.is(await billing.creditCents(partnerId), 2_300);
  await Promise.all([1, 2].map(() => billing.bill(partnerId, day('2026-05-10'))));
  t.is(await billing.creditCents(partnerId), 1_300);
  await billing.bill(partnerId, day('2026-08-10'));
  t.is(await billing.creditCents(partnerId), 0);
  const totals = (await billing.invoices(partnerId)).map(({ totalCents }) => totalCents);
  t.deepEqual(totals, [3_300, 0, 0, 700, 1_000]);
});

test('days before the first use are left out, quiet days after it are not', async (t) => {
  const { partnerId } = await aSubscriber();
  t.deepEqual(await pointsOfDays(partnerId, day('2026-03-20'), 5), []);
  await billing.count(partnerId, 300, day('2026-03-12'));
  t.deepEqual(await pointsOfDays(partnerId, day('2026-03-14'), 5), [300, 0, 0]);
  t.deepEqual(await pointsOfDays(partnerId, day('2026-03-20'), 5), [0, 0, 0, 0, 0]);
  await billing.count(partnerId, 200, day('2026-03-11'));
  t.deepEqual(
    await pointsOfDays(partnerId, day('2026-03-14'), 5),
    [200, 300, 0, 0],
    'a reward that is counted late',
  );
});

test('days are read from their periods, however many rewards each has', async (t) => {
  const { partnerId } = await aSubscriber();
  const days = 28;
  for (let past = 0; past < days; past++) {
    const at = new Date(Date.parse('2026-03-28') - past * 86_400_000).toISOString();
    for (let again = 0; again < 3; again++) await billing.count(partnerId, 10, at);
  }
  const { connection } = billing.models;
  await connection.db?.command({ profile: 2 });
  const use = await billing.lastDays(partnerId, day('2026-03-28'), days);
  await connection.db?.command({ profile: 0 });
  t.deepEqual(use, Array(days).fill({ points: 30, cents: 60 }));
  const reads = await connection
    .collection('system.profile')
    .find({ 'command.find': 'usage_periods', 'command.filter.partnerId': partnerId })
    .toArray();
  t.true(reads.length > 0);
  for (const { keysExamined, docsExamined } of reads) {
    t.true(keysExamined <= 3, `${keysExamined} keys examined`);
    t.true(docsExamined <= 2, `${docsExamined} periods examined`);
  }
});

test('one partner’s use does not show in another’s', async (t) => {
  const [one, other] = [await aSubscriber(), await aSubscriber()];
  await billing.count(one.partnerId, 300, day('2026-03-12'));
  const { subscriptionId } = other;
  t.is(await billing.periodPoints(other.partnerId, { subscriptionId, start }), 0);
  t.deepEqual(await pointsOfDays(other.partnerId, day('2026-03-12'), 1), []);
});
