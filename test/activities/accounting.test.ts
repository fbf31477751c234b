import test from 'ava';
import { runAudit } from '../../audit/run.ts';
import { immortal } from '../helpers/faults.ts';
import { isThorough } from '../helpers/places.ts';
import { type Database, openDatabase } from '../helpers/processes.ts';
import { assertInvariants } from './money/helpers/assert-invariants.ts';
import { type Circumstances, createWorld, type World } from './money/helpers/world.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

const undisturbed: Circumstances = { place: 0, fate: immortal(), isTwice: false };
const events = isThorough ? 1_000 : 300;
const concurrent = 20;

/** All records of a partner's LIVE money and usage. */
async function liveFigures({ models, partnerId }: World) {
  return {
    ledger: await models.ledger.find({ partnerId, mode: 'LIVE' }).sort({ _id: 1 }),
    periods: await models.usagePeriods.find({ partnerId }).sort({ _id: 1 }),
    customers: await models.customerBalances.find({ partnerId, mode: 'LIVE' }).sort({ _id: 1 }),
    wallet: await models.wallets.findOne({ partnerId, mode: 'LIVE' }),
    invoices: await models.invoices.find({ partnerId }),
    rewards: await models.rewards.find({ partnerId, mode: 'LIVE' }).sort({ _id: 1 }),
  };
}

test('hundreds of mixed TEST events leave every LIVE figure untouched', async (t) => {
  const world = await createWorld(database);
  await world.topUp('LIVE', 10_000, undisturbed);
  const buy = (mode: 'LIVE' | 'TEST', nth: number) =>
    world.buy(
      { mode, customer: nth % 3, subtotalCents: 100 + (nth % 900), value: nth },
      undisturbed,
    );
  for (let nth = 0; nth < 5; nth++) await buy('LIVE', nth);
  await world.move('CLAIM', 0, undisturbed);
  await world.settled();
  const before = await liveFigures(world);
  t.true(before.ledger.length > 5 && before.periods.length > 0);

  await world.topUp('TEST', 20_000, undisturbed);
  const isTest = { mode: 'TEST' } as const;
  // One reward by itself through each end: among the mixed events, chance decides who reaches one.
  for (const moveNames of [['CLAIM', 'REFUND', 'UPHOLD'], ['EXPIRE']] as const) {
    await buy('TEST', 0);
    await world.settled();
    for (const name of moveNames) await world.move(name, 0, undisturbed, isTest);
  }
  const moves = ['CLAIM', 'CLAIM', 'REFUND', 'EXPIRE', 'REFUND', 'UPHOLD', 'DISMISS'] as const;
  for (let done = 0; done < events; done += concurrent) {
    await Promise.all(
      Array.from({ length: concurrent }, async (_, place) => {
        const nth = done + place;
        if (nth % 2 === 0) return await buy('TEST', nth);
        if (nth % 99 === 0) return await world.topUp('TEST', 5_000, undisturbed);
        if (nth % 7 === 0) {
          const spending = { mode: 'TEST', customer: nth % 3, share: 0.3, isHeld: true } as const;
          return await world.spend(spending, undisturbed);
        }
        if (nth % 11 === 0) return await world.endRedemption('CAPTURE', nth, undisturbed);
        await world.move(moves[nth % moves.length] ?? 'CLAIM', nth, undisturbed, isTest);
      }),
    );
  }
  await world.settled();

  t.deepEqual(await liveFigures(world), before);
  const { models, partnerId } = world;
  const kinds = await models.ledger.distinct('kind', { partnerId, mode: 'TEST' });
  for (const kind of ['CLAIM', 'CLAWBACK', 'RELEASE', 'RESERVE', 'TOP_UP']) {
    t.true(kinds.includes(kind), kind);
  }
  await assertInvariants(world);
  const { faults, summary } = await runAudit(world, { partnerId, patienceMs: 0 });
  t.is(faults, 0, summary);
});
