import test from 'ava';
import fc from 'fast-check';
import type { Mode } from '../../../domain/mode.ts';
import type { RewardSnapshot } from '../../../domain/reward.ts';
import {
  type AuditDatabase,
  type LaterMove,
  openAuditDatabase,
  type TestPartner,
} from '../../audit/helpers/audit-database.ts';

let database: AuditDatabase;
test.before(async () => {
  database = await openAuditDatabase();
});
test.after.always(() => database?.close());

async function totalsOf({ partnerId }: TestPartner, mode: Mode) {
  const wallet = await database.models.wallets.findOne({ partnerId, mode }).orFail();
  return wallet.rewards;
}

async function faultsOf(partner: TestPartner): Promise<string[]> {
  const { checks } = await partner.audit();
  return checks.flatMap(({ culprits }) => culprits);
}

test('a wallet’s totals are the sums of its rewards, by their state', async (t) => {
  const partner = database.partner();
  await partner.topUp(1_000);
  const first = await partner.purchase(100);
  await partner.purchase(70);
  await partner.purchase(5_000);
  await partner.purchase(30, 'TEST');
  await partner.move(first, 'CLAIM');
  const sum = (points: number) => ({ rewards: 1, points, cents: points });
  t.deepEqual(await totalsOf(partner, 'LIVE'), {
    USD: { FUNDED: sum(70), AVAILABLE: sum(100), AWAITING_FUNDING: sum(5_000) },
  });
  t.deepEqual(await totalsOf(partner, 'TEST'), { USD: { FUNDED: sum(30) } });
  t.deepEqual(await faultsOf(partner), []);
});

const moves = [
  ...(['CLAIM', 'EXPIRE', 'CANCEL', 'REFUND', 'PART', 'PART', 'UPHOLD', 'DISMISS'] as const),
  'MATURE' as const,
];

const step = fc.oneof(
  fc.record({
    do: fc.constant('MAKE' as const),
    points: fc.constantFrom(0, 10, 400),
    holdDays: fc.constantFrom(0, 14),
  }),
  fc.record({ do: fc.constant('TOP_UP' as const) }),
  fc.record({ do: fc.constantFrom<LaterMove>(...moves), nth: fc.nat({ max: 20 }) }),
);

test('after any moves, made one by one or at once, the totals are those of the rewards', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      const partner = database.partner();
      const { partnerId } = partner;
      await partner.topUp(300);
      const made: RewardSnapshot[] = [];
      const moving: Promise<unknown>[] = [];
      for (const one of steps) {
        if ('points' in one) made.push(await partner.purchase(one.points, 'LIVE', one.holdDays));
        else if (!('nth' in one)) await partner.topUp(100);
        else {
          const reward = made[one.nth % Math.max(1, made.length)];
          // The state table refuses many of them, which then change nothing.
          if (reward) moving.push(partner.move(reward, one.do).catch(() => undefined));
        }
      }
      await Promise.all(moving);
      const facts = new Map<string, number>();
      for (const { state } of await database.models.rewards.find({ partnerId })) {
        facts.set(state, (facts.get(state) ?? 0) + 1);
      }
      const totals = new Map<string, number>();
      for (const states of Object.values(await totalsOf(partner, 'LIVE'))) {
        for (const [state, { rewards }] of Object.entries(states)) {
          if (rewards !== 0) totals.set(state, (totals.get(state) ?? 0) + rewards);
        }
      }
      t.deepEqual([...totals].toSorted(), [...facts].toSorted());
      const check = 'totals: every reward counts once, in its wallet and state';
      const { checks } = await partner.audit();
      t.deepEqual(checks.find(({ name }) => name === check)?.culprits, []);
    }),
    { numRuns: 15 },
  );
});
