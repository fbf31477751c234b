import test, { type ExecutionContext } from 'ava';
import { runAudit } from '../../../audit/run.ts';
import type { Mode } from '../../../domain/mode.ts';
import type { RewardState } from '../../../domain/reward.ts';
import { type Fate, immortal } from '../../helpers/faults.ts';
import { type Database, openDatabase } from '../../helpers/processes.ts';
import { raceAtEveryOperation } from '../../helpers/race.ts';
import { assertInvariants } from './helpers/assert-invariants.ts';
import { type Circumstances, createWorld, type World } from './helpers/world.ts';

let database: Database;
test.before(async () => {
  database = await openDatabase();
});
test.after.always(() => database?.close());

/** Separate processes, because the overtaken one is still in the middle of its work. */
const overtaken = (fate: Fate = immortal()): Circumstances => ({ place: 0, fate, isTwice: false });
const faster = (): Circumstances => ({ place: 1, fate: immortal(), isTwice: false });

interface Race {
  arrange(world: World): Promise<unknown>;
  act(world: World): Promise<unknown>;
  meanwhile(world: World): Promise<unknown>;
  /** The final states of the rewards, in order of purchase. */
  ends: RewardState[];
}

/** How many races were run, each in a world of its own. */
let raced = 0;

/** The rewards end the same wherever one is overtaken, and the ledger is correct. */
const race = (t: ExecutionContext, { arrange, act, meanwhile, ends }: Race): Promise<void> =>
  raceAtEveryOperation<unknown>(t, async () => {
    raced += 1;
    const world = await createWorld(database);
    await arrange(world);
    await world.settled();
    return {
      async act() {
        await act(world);
        await world.settled();
      },
      meanwhile: () => meanwhile(world),
      async holds(_, where) {
        await world.settled();
        t.deepEqual(
          world.rewards().map(({ state }) => state),
          ends,
          where,
        );
        await t.notThrowsAsync(assertInvariants(world), where);
      },
    };
  });

/** Buys rewards one after the other. @param costs of each, in cents */
async function buy(world: World, mode: Mode, costs: number[], how = overtaken()): Promise<void> {
  for (const cents of costs) {
    await world.buy({ mode, customer: 0, subtotalCents: cents * 10, value: 0 }, how);
  }
}

/** Queues rewards behind a wallet that has only one cent. */
const queue = (mode: Mode, costs: number[]) => async (world: World) => {
  await world.topUp(mode, 1, overtaken());
  await buy(world, mode, costs);
};

const topUpMeanwhile = (mode: Mode, cents: number) => (world: World) => {
  world.setWorkersCircumstances(faster());
  return world.topUp(mode, cents, faster());
};

const fates: [how: string, fate: () => Fate][] = [
  ['', immortal],
  [
    ', by a process that dies before it commits',
    () => ({ writesLeft: 0, lastIsDone: false, isDead: false }),
  ],
  [
    ', by a process that dies with its commit done',
    () => ({ writesLeft: 0, lastIsDone: true, isDead: false }),
  ],
];

for (const [mode, move, end] of [
  ['LIVE', 'REFUND', 'CANCELLED'],
  ['LIVE', 'EXPIRE', 'EXPIRED'],
  ['TEST', 'REFUND', 'CANCELLED'],
] as const) {
  for (const [how, fate] of mode === 'LIVE' && move === 'REFUND' ? fates : fates.slice(0, 1)) {
    test(`${mode}: ${move} of the first in the queue while it is being funded${how}: its reserved money goes to the next`, async (t) => {
      await race(t, {
        arrange: queue(mode, [100, 100]),
        async act(world) {
          world.setWorkersCircumstances(overtaken(fate()));
          await world.topUp(mode, 100, overtaken());
        },
        meanwhile: (world) => world.move(move, 0, faster()),
        ends: [end, 'FUNDED'],
      });
    });
  }

  test(`${mode}: a top-up while ${move} removes the first from the queue: the money goes to the next`, async (t) => {
    await race(t, {
      arrange: queue(mode, [100, 100]),
      act: (world) => world.move(move, 0, overtaken()),
      meanwhile: topUpMeanwhile(mode, 100),
      ends: [end, 'FUNDED'],
    });
  });
}

test('a top-up while a purchase finds insufficient funds: the purchase does not wait for money that has arrived', async (t) => {
  await race(t, {
    arrange: (world) => world.topUp('LIVE', 1, overtaken()),
    act: (world) => buy(world, 'LIVE', [100]),
    meanwhile: topUpMeanwhile('LIVE', 100),
    ends: ['FUNDED'],
  });
});

test('the only reward in the queue is refunded while a purchase joins: the purchase does not wait in an empty queue', async (t) => {
  await race(t, {
    arrange: queue('LIVE', [100]),
    async act(world) {
      world.setWorkersCircumstances(faster());
      await world.topUp('LIVE', 49, overtaken());
      await buy(world, 'LIVE', [50]);
    },
    meanwhile: (world) => world.move('REFUND', 0, faster()),
    ends: ['CANCELLED', 'FUNDED'],
  });
});

test('a small purchase does not overtake a reward that the funds do not cover while the queue is being served', async (t) => {
  await race(t, {
    arrange: queue('LIVE', [100, 100]),
    act: (world) => world.topUp('LIVE', 150, overtaken()),
    meanwhile: (world) => buy(world, 'LIVE', [20], faster()),
    ends: ['FUNDED', 'AWAITING_FUNDING', 'AWAITING_FUNDING'],
  });
});

test('a top-up while the queue is being served is used', async (t) => {
  await race(t, {
    arrange: queue('LIVE', [100, 100, 100]),
    act: (world) => world.topUp('LIVE', 150, overtaken()),
    meanwhile: (world) => world.topUp('LIVE', 150, faster()),
    ends: ['FUNDED', 'FUNDED', 'FUNDED'],
  });
});

test('spending points while the refund of their reward is upheld neither loses nor double-counts a cent or a point', async (t) => {
  await race(t, {
    async arrange(world) {
      await world.topUp('LIVE', 100, overtaken());
      await buy(world, 'LIVE', [100, 30]);
      await world.move('CLAIM', 0, overtaken());
      await world.move('REFUND', 0, overtaken());
    },
    act: (world) => world.move('UPHOLD', 0, overtaken()),
    meanwhile: (world) => world.redeem(0, 0.4, faster()),
    ends: ['CANCELLED', 'FUNDED'],
  });
});

for (const [what, meanwhile] of [
  ['the customer spends them', (world: World) => world.redeem(0, 1, faster())],
  ['the customer claims more', (world: World) => world.move('CLAIM', 0, faster())],
  ['they end elsewhere, too', (world: World) => world.endPoints('LIVE', 0, faster())],
] as const) {
  test(`points end while ${what}: no cent or point is lost or counted twice`, async (t) => {
    await race(t, {
      async arrange(world) {
        await world.topUp('LIVE', 200, overtaken());
        await world.letPointsEnd('LIVE', 'P12M', overtaken());
        await buy(world, 'LIVE', [100, 100]);
        await world.move('CLAIM', 1, overtaken());
      },
      act: (world) => world.endPoints('LIVE', 0, overtaken()),
      meanwhile,
      ends: [what === 'the customer claims more' ? 'AVAILABLE' : 'FUNDED', 'AVAILABLE'],
    });
  });
}

test.after('the audit finds no fault after these races', async (t) => {
  const { faults, lookedAt, summary } = await runAudit(await createWorld(database), {
    patienceMs: 0,
  });
  t.is(faults, 0, summary);
  t.true(raced > 0 && lookedAt > 10 * raced);
});
