import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import test from 'ava';
import { billingActivities } from '../../activities/invoices.ts';
import { changePlan } from '../../operations/subscriptions.ts';
import { type Billing, largePlan, smallPlan, startBilling } from '../helpers/billing.ts';
import { dyingAfter, makeFaulty, under } from '../helpers/faults.ts';
import { operate } from '../helpers/operate.ts';
import { fates } from './helpers/assert-repeatable.ts';

const clock = { at: '2026-01-01T00:00:00.000Z' };
let billing: Billing;
let small: string;
let large: string;
test.before(async () => {
  billing = await startBilling(clock);
  makeFaulty(billing.models);
  small = await billing.plan(smallPlan);
  large = await billing.plan(largePlan);
});
test.after.always(() => billing?.stop());

const day = (text: string) => `${text}T00:00:00.000Z`;

const shown = async (partnerId: string) =>
  (await billing.invoices(partnerId)).map(
    ({ periodStart, periodEnd, kind, totalCents, lines }) => ({
      kind,
      from: periodStart.toISOString().slice(0, 10),
      to: periodEnd.toISOString().slice(0, 10),
      lines: lines.map((line) => `${line.kind} ${line.amountCents}`),
      totalCents,
    }),
  );

test.serial('bills an ended period once: plan price and overage', async (t) => {
  const { partnerId } = await billing.subscriber(small, day('2026-01-15'));
  await billing.count(partnerId, 1_250, day('2026-01-20'));
  t.deepEqual(await billing.round('2026-02-14T23:59:59.999Z'), {
    closedPeriods: 0,
  });
  t.deepEqual(await billing.round(day('2026-02-15')), { closedPeriods: 1 });
  t.deepEqual(await billing.round('2026-02-15T01:00:00.000Z'), {
    closedPeriods: 0,
  });
  const [invoice] = await billing.invoices(partnerId);
  t.like(invoice, {
    kind: 'PERIOD',
    number: '2026-0001',
    currency: 'USD',
    totalCents: 1_250,
    status: 'ISSUED',
    paidCents: 0,
    remindAt: new Date('2026-03-02'),
    planVersionId: small,
    periodStart: new Date(day('2026-01-15')),
    periodEnd: new Date(day('2026-02-15')),
    issuedAt: new Date(day('2026-02-15')),
    dueAt: new Date(day('2026-03-01')),
  });
  t.deepEqual(
    invoice?.lines.map(({ kind, description, amountCents }) => [kind, description, amountCents]),
    [
      ['PLAN', 'Small, 1,000 points included', 1_000],
      ['OVERAGE', '250 extra points at $0.01', 250],
    ],
  );
  t.is(invoice && (await billing.postedCents(invoice)), 1_250);
});

test.serial(
  'partners are reminded of overdue invoices once, however often and concurrently it runs',
  async (t) => {
    const { partnerId } = await billing.subscriber(small, day('2026-01-15'));
    await billing.round(day('2026-02-15'), billing.depsAt(day('2026-02-15')));
    const remind = async (at: string) => {
      const { remindOfInvoices } = billingActivities(billing.depsAt(at));
      return await new MockActivityEnvironment().run(remindOfInvoices, at);
    };
    await remind('2026-03-01T23:00:00.000Z');
    t.like((await billing.invoices(partnerId))[0], { reminders: 0 });
    await Promise.all([1, 2, 3].map(() => remind(day('2026-03-02'))));
    const remindAt = new Date('2026-03-09');
    t.like((await billing.invoices(partnerId))[0], { reminders: 1, remindAt });
  },
);

test.serial(
  'after a month’s downtime each period gets its own invoice, and billing returns to the 31st',
  async (t) => {
    const { partnerId } = await billing.subscriber(small, day('2026-01-31'));
    await billing.count(partnerId, 1_001, day('2026-02-27'));
    await billing.count(partnerId, 1_002, day('2026-02-28'));
    await billing.count(partnerId, 1_003, day('2026-03-31'));
    await billing.round(day('2026-04-15'));
    t.deepEqual(await shown(partnerId), [
      {
        kind: 'PERIOD',
        from: '2026-01-31',
        to: '2026-02-28',
        lines: ['PLAN 1000', 'OVERAGE 1'],
        totalCents: 1_001,
      },
      {
        kind: 'PERIOD',
        from: '2026-02-28',
        to: '2026-03-31',
        lines: ['PLAN 1000', 'OVERAGE 2'],
        totalCents: 1_002,
      },
    ]);
    t.like(await billing.subscription(partnerId), {
      currentPeriodStart: new Date(day('2026-03-31')),
      currentPeriodEnd: new Date(day('2026-04-30')),
    });
  },
);

test.serial(
  'concurrent rounds in several processes issue one invoice per period, numbered without gaps',
  async (t) => {
    const subscribers = await Promise.all(
      Array.from({ length: 8 }, () => billing.subscriber(small, day('2026-01-10'))),
    );
    await Promise.all(
      [1, 2, 3].map(() => billing.round(day('2026-04-20'), { commit: billing.anotherCommit() })),
    );
    for (const { partnerId } of subscribers) {
      const invoices = await billing.invoices(partnerId);
      t.deepEqual(
        invoices.map(({ number }) => number),
        ['2026-0001', '2026-0002', '2026-0003'],
      );
      t.is(new Set(invoices.map(({ periodStart }) => periodStart.getTime())).size, 3);
    }
  },
);

/** Two more than fit on a page. */
const manySubscriptions = 102;

/** Replaces all subscriptions by copies of one and of its partner. The period of the last ends a day later. */
async function copySubscription(changes: object) {
  const { subscriptions, partners } = billing.models;
  await subscriptions.deleteMany({});
  const { partnerId, subscriptionId } = await billing.subscriber(small, day('2026-05-01'));
  const subscription = await billing.subscription(partnerId);
  const partner = await partners.findById(partnerId).orFail();
  await subscriptions.deleteMany({ _id: subscriptionId });
  const places = Array.from({ length: manySubscriptions }, (_, place) => place);
  const partnerCopies = places.map((place) => ({ ...partner, _id: `${partnerId}_${place}` }));
  const copies = places.map((place) => ({
    ...subscription,
    _id: `sub_${place}`,
    partnerId: `${partnerId}_${place}`,
    currentPeriodEnd: new Date(day(place < manySubscriptions - 1 ? '2026-06-01' : '2026-06-02')),
    ...changes,
  }));
  await partners.collection.insertMany(partnerCopies);
  await subscriptions.collection.insertMany(copies);
  return { partnerId };
}

test.serial('one round bills more subscriptions than fit on a page', async (t) => {
  const { partnerId } = await copySubscription({});
  t.is((await billing.round(day('2026-06-05'))).closedPeriods, manySubscriptions);
  const invoices = { partnerId: new RegExp(`^${partnerId}_`) };
  t.is(await billing.models.invoices.countDocuments(invoices), manySubscriptions);
});

test.serial(
  'a subscription that cannot be billed is reported and does not hold up the others',
  async (t) => {
    const [broken, sound] = [
      await billing.subscriber(small, day('2026-05-01')),
      await billing.subscriber(small, day('2026-05-02')),
    ];
    const { partnerId } = broken;
    await billing.models.subscriptions.updateOne(
      { partnerId },
      { $set: { planVersionId: 'pln_lost' } },
    );
    await t.throwsAsync(billing.round(day('2026-06-05')), {
      message: new RegExp(`1 subscription .*${broken.subscriptionId}`),
    });
    t.is((await billing.invoices(sound.partnerId)).length, 1);
    await billing.models.subscriptions.updateOne({ partnerId }, { $set: { planVersionId: small } });
    await billing.round(day('2026-06-05'));
    t.is((await billing.invoices(partnerId)).length, 1);
  },
);

test.serial(
  'every period that cannot be billed is tried, and ten subscriptions are named once',
  async (t) => {
    await copySubscription({ planVersionId: 'pln_lost' });
    t.teardown(() => billing.models.subscriptions.deleteMany({}));
    const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
    const told: unknown[] = [];
    environment.on('heartbeat', (details) => told.push(details));
    const { closeDuePeriods } = billingActivities(billing.deps);
    const error = await t.throwsAsync(environment.run(closeDuePeriods, day('2026-06-05')));
    t.true(error.message.startsWith(`${manySubscriptions} subscriptions could not be billed: `));
    const named = error.message.match(/sub_\d+: [^;]+/g) ?? [];
    t.is(named.length, 10);
    t.is(new Set(named).size, 10);
    t.is(told.length, manySubscriptions);
    t.deepEqual(told.at(-1), { closedPeriods: 0 });
  },
);

test.serial('a round reports each closed period as it goes', async (t) => {
  await billing.models.subscriptions.deleteMany({});
  await billing.subscriber(small, day('2029-01-10'));
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const told: number[] = [];
  environment.on('heartbeat', ({ closedPeriods }) => told.push(closedPeriods));
  await environment.run(billingActivities(billing.deps).closeDuePeriods, day('2029-03-10'));
  t.deepEqual(told, [1, 2, 2]);
});

test.serial(
  'the next invoice uses the credit for points given back, down to zero at most',
  async (t) => {
    const { partnerId } = await billing.subscriber(small, day('2026-06-10'));
    const rewardId = await billing.count(partnerId, 3_500, day('2026-06-12'));
    await billing.round(day('2026-07-10'));
    await billing.giveBack(partnerId, rewardId, day('2026-07-12'));
    await billing.round(day('2026-09-10'));
    t.deepEqual(
      (await shown(partnerId)).map(({ lines, totalCents }) => [lines.join(', '), totalCents]),
      [
        ['PLAN 1000, OVERAGE 2500', 3_500],
        ['PLAN 1000, CREDIT -1000', 0],
        ['PLAN 1000, CREDIT -1000', 0],
      ],
    );
    t.is(await billing.creditCents(partnerId), 500);
  },
);

test.serial('an archived plan continues for its subscribers', async (t) => {
  const archived = await billing.plan({ ...smallPlan, planCode: 'old' });
  const { partnerId } = await billing.subscriber(archived, day('2026-09-15'));
  await billing.models.planVersions.updateOne({ _id: archived }, { $set: { status: 'ARCHIVED' } });
  await billing.round(day('2026-11-15'));
  t.is((await billing.invoices(partnerId)).length, 2);
  t.is((await billing.subscription(partnerId)).planVersionId, archived);
});

test.serial('a yearly period has the annual price and twelve allowances', async (t) => {
  const { partnerId } = await billing.subscriber(small, day('2024-02-29'), 'YEAR');
  await billing.count(partnerId, 12_300, day('2024-12-01'));
  await billing.round(day('2025-02-28'));
  t.deepEqual(await shown(partnerId), [
    {
      kind: 'PERIOD',
      from: '2024-02-29',
      to: '2025-02-28',
      lines: ['PLAN 10000', 'OVERAGE 300'],
      totalCents: 10_300,
    },
  ]);
});

/** The only subscription that is due: it was upgraded, and two of its periods have ended. */
async function everythingDue() {
  await billing.models.subscriptions.deleteMany({});
  const { partnerId } = await billing.subscriber(small, day('2027-01-10'));
  clock.at = day('2027-01-10');
  await operate(billing.deps, changePlan, { partnerId, planVersionId: large });
  await billing.count(partnerId, 6_200, day('2027-01-12'));
  return partnerId;
}

async function outcome(partnerId: string) {
  const { planVersionId, currentPeriodStart, terms } = await billing.subscription(partnerId);
  return {
    invoices: await shown(partnerId),
    numbers: (await billing.invoices(partnerId)).map(({ number }) => number),
    posted: await Promise.all((await billing.invoices(partnerId)).map(billing.postedCents)),
    creditCents: await billing.creditCents(partnerId),
    subscription: { planVersionId, currentPeriodStart, terms },
  };
}

const expected = {
  invoices: [
    {
      kind: 'PRORATION',
      from: '2027-01-10',
      to: '2027-02-10',
      lines: ['PRORATION 3000'],
      totalCents: 3_000,
    },
    {
      kind: 'PERIOD',
      from: '2027-01-10',
      to: '2027-02-10',
      lines: ['PLAN 1000'],
      totalCents: 1_000,
    },
    {
      kind: 'PERIOD',
      from: '2027-02-10',
      to: '2027-03-10',
      lines: ['PLAN 4000'],
      totalCents: 4_000,
    },
  ],
  numbers: ['2027-0001', '2027-0002', '2027-0003'],
  posted: [3_000, 1_000, 4_000],
  creditCents: 0,
};

test.serial(
  'killed between any two writes, the next round ends in the same state as an uninterrupted one',
  async (t) => {
    const uninterrupted = await everythingDue();
    const most = 1_000;
    const counting = dyingAfter(most);
    const round = () => billing.round(day('2027-03-12'), { commit: billing.anotherCommit() });
    await under(counting, round);
    const allWrites = most - counting.writesLeft;
    const subscription = {
      planVersionId: large,
      currentPeriodStart: new Date(day('2027-03-10')),
      terms: {
        priceCents: 4_000,
        includedPoints: 9_000,
        overageRateMicrosPerPoint: 4_000,
        currency: 'USD',
      },
    };
    t.like(await outcome(uninterrupted), { ...expected, subscription });
    t.true(allWrites >= 2 * 6, 'the commit of each period has several writes and its end');

    for (const fate of fates()) {
      const writes = fate.writesLeft;
      if (writes >= allWrites) return;
      const partnerId = await everythingDue();
      await t.throwsAsync(under(fate, round));
      await billing.round('2027-03-12T01:00:00.000Z', { commit: billing.anotherCommit() });
      t.like(
        await outcome(partnerId),
        { ...expected, subscription },
        `died in write ${writes + 1}, which was ${fate.lastIsDone ? 'applied' : 'lost'}`,
      );
    }
  },
);
