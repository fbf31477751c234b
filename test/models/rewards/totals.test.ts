import test from 'ava';
import fc from 'fast-check';
import type { Mode } from '../../../domain/mode.ts';
import { canMove, initialState, type RewardMove } from '../../../domain/reward.ts';
import { rewardTotals } from '../../../models/audit/checks/reward-totals.ts';
import { createReport } from '../../../models/audit/report.ts';
import { moveReward, readReward } from '../../../models/rewards/move.ts';
import { countRewards, nextUncounted } from '../../../models/rewards/totals.ts';
import { newId } from '../../../platform/ids.ts';
import { dyingAfter, Killed, under } from '../../helpers/faults.ts';
import { type Database, openDatabase } from '../../helpers/processes.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

const days = ['2026-03-01', '2026-03-02'];

/** Stores a new reward. */
async function made(
  partnerId: string,
  day: string,
  mode: Mode = 'LIVE',
  times: { createdAt: Date; idAt?: Date } = { createdAt: new Date(`${day}T12:00:00Z`) },
): Promise<string> {
  const { createdAt, idAt = createdAt } = times;
  const _id = newId('reward', idAt.getTime());
  await database.models.rewards.create({
    _id,
    partnerId,
    mode,
    integrationId: 'int_1',
    purchaseEventId: newId('event'),
    externalOrderId: _id,
    workflowId: _id,
    customerId: 'cus_1',
    claimTokenHash: _id,
    currency: 'USD',
    points: 100,
    liabilityCents: 150,
    walletId: partnerId,
    arithmetic: {},
    ...initialState,
    claimExpiresAt: createdAt,
    version: 0,
    moves: [],
    carriedOut: 0,
    toCount: true,
    createdAt,
    updatedAt: createdAt,
  });
  return _id;
}

async function move(partnerId: string, _id: string, ...moves: RewardMove[]): Promise<void> {
  const { models } = database;
  for (const one of moves) {
    const reward = await readReward(models, { partnerId, _id });
    if (canMove(reward, one)) await moveReward(models, reward, { move: one, at: new Date() });
  }
}

const count = (partnerId: string) => countRewards(database.models, partnerId);

const totalsOf = (partnerId: string) =>
  database.models.rewardTotals.find({ partnerId }).sort({ _id: 1 });

/** Runs the audit's check of the totals. */
async function auditOf(partnerId: string) {
  const report = createReport({ patienceMs: 0, onProgress: () => undefined });
  const partners = async function* () {
    yield partnerId;
  };
  const deps = { models: database.models, partnerId, partners, pace: async () => undefined };
  await rewardTotals.run(deps as never, report);
  await report.settle();
  return report.results();
}

const faultsOf = async (partnerId: string): Promise<string[]> =>
  (await auditOf(partnerId)).flatMap(({ culprits }) => culprits);

test('a day’s totals are the sums of its rewards, by their state', async (t) => {
  const partnerId = newId('partner');
  const [first = '', second = ''] = [
    await made(partnerId, '2026-03-01'),
    await made(partnerId, '2026-03-01'),
  ];
  await made(partnerId, '2026-03-02', 'TEST');
  t.is(await nextUncounted(database.models, partnerId.slice(0, -1)), partnerId);
  t.is(await count(partnerId), 3);
  t.is(await count(partnerId), 0, 'nothing changed');
  await move(partnerId, first, 'FUND', 'CLAIM');
  await move(partnerId, second, 'FUND');
  t.is(await count(partnerId), 1, 'funding does not change a reward’s state');
  const found = await totalsOf(partnerId);
  const one = { rewards: 1, points: 100, cents: 150 };
  t.deepEqual(
    found.map(({ mode, day, currency, states }) => ({ mode, day, currency, ...states })),
    [
      { mode: 'LIVE', day: '2026-03-01', currency: 'USD', PENDING: one, AVAILABLE: one },
      { mode: 'TEST', day: '2026-03-02', currency: 'USD', PENDING: one },
    ],
  );
  t.deepEqual(await faultsOf(partnerId), []);
});

test('after a crash at any write, and with any number of processes, each change is counted once', async (t) => {
  for (let place = 0; place < 12; place++) {
    const partnerId = newId('partner');
    const ids = await Promise.all(days.map((day) => made(partnerId, day)));
    await count(partnerId);
    for (const id of ids) await move(partnerId, id, 'EXPIRE');
    await made(partnerId, '2026-03-02');
    const fate = dyingAfter(Math.floor(place / 2), place % 2 === 1);
    const dying = under(fate, () => count(partnerId));
    await dying.catch((error: unknown) => t.true(error instanceof Killed));
    await Promise.all([count(partnerId), count(partnerId), count(partnerId)]);
    const found = await totalsOf(partnerId);
    t.deepEqual(
      found.map(({ states }) => Object.entries(states).map(([state, sum]) => [state, sum.rewards])),
      [
        [
          ['PENDING', 0],
          ['EXPIRED', 1],
        ],
        [
          ['PENDING', 1],
          ['EXPIRED', 1],
        ],
      ],
      `died in write ${Math.floor(place / 2) + 1}`,
    );
    t.deepEqual(await faultsOf(partnerId), []);
  }
});

const step = fc.oneof(
  fc.record({ do: fc.constant('MAKE' as const), day: fc.constantFrom(...days) }),
  fc.record({
    do: fc.constantFrom('FUND', 'RUN_SHORT', 'CLAIM', 'EXPIRE', 'REFUND', 'UPHOLD', 'DISMISS'),
    nth: fc.nat({ max: 20 }),
  }),
  fc.record({
    do: fc.constant('COUNT' as const),
    writes: fc.nat({ max: 5 }),
    isDone: fc.boolean(),
  }),
);

test('after any moves, counted by crashing or concurrent processes, the totals are correct', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const partnerId = newId('partner');
      const ids: string[] = [];
      const counting: Promise<unknown>[] = [];
      for (const one of steps) {
        if ('day' in one) ids.push(await made(partnerId, one.day));
        else if ('writes' in one) {
          const fate = dyingAfter(one.writes, one.isDone);
          counting.push(under(fate, () => count(partnerId)).catch(() => undefined));
        } else {
          const id = ids[one.nth % Math.max(1, ids.length)];
          if (id) await move(partnerId, id, one.do as RewardMove);
        }
      }
      await Promise.all(counting);
      await count(partnerId);
      const facts = new Map<string, number>();
      for (const { createdAt, status } of await database.models.rewards.find({ partnerId })) {
        const key = `${createdAt.toISOString().slice(0, 10)} ${status}`;
        facts.set(key, (facts.get(key) ?? 0) + 1);
      }
      const totals = (await totalsOf(partnerId)).flatMap(({ day, states }) =>
        Object.entries(states)
          .filter(([, { rewards }]) => rewards !== 0)
          .map(([state, { rewards }]) => [`${day} ${state}`, rewards] as const),
      );
      t.deepEqual(totals.toSorted(), [...facts].toSorted());
      t.deepEqual(await faultsOf(partnerId), []);
    }),
    { numRuns: 25 },
  );
});

test('an audit finds a wrong total, and a reward that is never counted', async (t) => {
  const partnerId = newId('partner');
  const reward = await made(partnerId, '2026-03-01');
  await count(partnerId);
  const { rewardTotals: totals, rewards } = database.models;
  await totals.updateOne({ partnerId }, { $inc: { 'states.PENDING.cents': 1 } });
  t.regex((await faultsOf(partnerId)).join(), /the totals say 1 rewards, 100 points, 151 cents/);
  await totals.updateOne({ partnerId }, { $inc: { 'states.PENDING.cents': -1 } });
  t.deepEqual(await faultsOf(partnerId), []);
  await move(partnerId, reward, 'EXPIRE');
  await rewards.updateOne({ partnerId }, { $unset: { toCount: '' } });
  t.regex((await faultsOf(partnerId)).join(), /not counted as they stand, and not marked/);
});

test('an audit checks each day once, also one whose last ids were created after midnight', async (t) => {
  const partnerId = newId('partner');
  const midnight = Date.parse('2026-03-02T00:00:00Z');
  const late = { createdAt: new Date(midnight - 1), idAt: new Date(midnight + 900) };
  const early = { createdAt: new Date(midnight + 1), idAt: new Date(midnight + 2) };
  await made(partnerId, '2026-03-01', 'LIVE', late);
  await made(partnerId, '2026-03-02', 'LIVE', early);
  await made(partnerId, '2026-03-09', 'TEST');
  await count(partnerId);
  const [{ lookedAt, faults } = { lookedAt: 0, faults: 0 }] = await auditOf(partnerId);
  t.deepEqual({ lookedAt, faults }, { lookedAt: 3, faults: 0 });
  await database.models.rewards.deleteOne({ partnerId, createdAt: late.createdAt });
  t.regex((await faultsOf(partnerId)).join(), /2026-03-01, .*say 1 rewards.*the rewards 0 rewards/);
});

test('a change that is being counted during the audit is pending, and no fault', async (t) => {
  const partnerId = newId('partner');
  await made(partnerId, '2026-03-01');
  await count(partnerId);
  await made(partnerId, '2026-03-01');
  await under(dyingAfter(1, true), () => count(partnerId)).catch(() => undefined);
  const [found] = await auditOf(partnerId);
  t.is(found?.faults, 0);
  t.is(found?.waiting, 1);
  await count(partnerId);
  const [after] = await auditOf(partnerId);
  t.deepEqual([after?.faults, after?.waiting], [0, 0]);
});
